namespace NumaSharp.Tool.Run;

/// <summary>What the supervisor does when a process ends.</summary>
internal sealed record SupervisorOptions
{
    /// <summary>Whether a process that failed is started again.</summary>
    public bool Restart { get; init; }

    /// <summary>The wait before the first restart.</summary>
    public TimeSpan RestartDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest wait before a restart; a run that lasts as long makes the waits begin anew.</summary>
    public TimeSpan RestartLimit { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How long processes have to end after they were asked to; then they are killed.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
