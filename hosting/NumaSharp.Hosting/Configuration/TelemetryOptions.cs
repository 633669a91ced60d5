namespace NumaSharp.Hosting;

/// <summary>Metrics: section <c>Numa:Telemetry</c>.</summary>
public sealed class TelemetryOptions
{
    /// <summary>Whether the meter exists.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;
}
