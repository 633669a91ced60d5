namespace NumaSharp.Hosting;

/// <summary>Metrics: section <c>Numa:Telemetry</c>.</summary>
public sealed class NumaTelemetryOptions
{
    /// <summary>Whether the meter exists.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>
    /// How old the nodes' memory and the kernel's counters may be that the meter shows, from 1 second to 1 hour: their files are
    /// read at most that often, however many readers ask.
    /// </summary>
    /// <value>Default 5 seconds.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(5);
}
