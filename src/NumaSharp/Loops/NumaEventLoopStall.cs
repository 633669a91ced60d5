namespace NumaSharp.EventLoop;

/// <summary>A stuck loop: a callback blocks it, and no other thread could take it over.</summary>
public sealed record NumaEventLoopStall
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="loop"><see cref="Loop"/></param>
    /// <param name="handler"><see cref="Handler"/></param>
    /// <param name="duration"><see cref="Duration"/></param>
    /// <param name="reason"><see cref="Reason"/></param>
    public NumaEventLoopStall(NumaEventLoop loop, EventLoopHandler? handler, TimeSpan duration, string reason)
    {
        Loop = loop;
        Handler = handler;
        Duration = duration;
        Reason = reason;
    }

    /// <summary>The loop.</summary>
    public NumaEventLoop Loop { get; init; }

    /// <summary>The handler of the running callback; <see langword="null"/> if none runs.</summary>
    public EventLoopHandler? Handler { get; init; }

    /// <summary>For how long, at least.</summary>
    public TimeSpan Duration { get; init; }

    /// <summary>What the loop's thread does, and why no other one takes over; half a sentence in English.</summary>
    public string Reason { get; init; }
}
