namespace NumaSharp.Hosting;

/// <summary>Metrics: section <c>Numa:Telemetry</c>.</summary>
public sealed class NumaTelemetryOptions
{
    /// <summary>Whether the meter is published.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>
    /// The maximum age of the nodes' memory figures and kernel counters in the meter, from 1 second to 1 hour: their files are
    /// read at most that often, however many readers ask.
    /// </summary>
    /// <value>Default 5 seconds.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(5);
}
