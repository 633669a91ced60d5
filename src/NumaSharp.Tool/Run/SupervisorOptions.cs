namespace NumaSharp.Tool.Run;

/// <summary>How the supervisor handles the end of a process.</summary>
internal sealed record SupervisorOptions
{
    /// <summary>Whether to restart a process that failed.</summary>
    public bool Restart { get; init; }

    /// <summary>The wait before the first restart.</summary>
    public TimeSpan RestartDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest wait before a restart; after a run of that length the waits start over.</summary>
    public TimeSpan RestartLimit { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How long processes may take to end after a stop; then they are killed.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
