using System.Diagnostics.Metrics;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// Disposes the meter with the container. Created before any MeterProvider of the container, so that it ends after it: a provider
/// exports for the last time on its own disposal, and that export must include the meter.
/// </summary>
internal sealed class MeterLifetime : IDisposable
{
    /// <summary>The meter currently published.</summary>
    public Meter? Meter { get; set; }

    public void Dispose() => Meter?.Dispose();
}
