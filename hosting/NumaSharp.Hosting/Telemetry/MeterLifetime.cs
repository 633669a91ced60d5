using System.Diagnostics.Metrics;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// Ends the meter with the container. Made before any MeterProvider of the container, so that it ends after it: the last export
/// is that of a provider's own end, and is to have the meter, too.
/// </summary>
internal sealed class MeterLifetime : IDisposable
{
    /// <summary>The meter that is published now.</summary>
    public Meter? Meter { get; set; }

    public void Dispose() => Meter?.Dispose();
}
