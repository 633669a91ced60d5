namespace NumaSharp.Transport.Epoll;

/// <summary>Where a connection's application code runs when data has arrived.</summary>
public enum EpollDispatchMode
{
    /// <summary>
    /// On the loop's own thread; a callback that outlasts the stall threshold loses the loop to another pinned thread, so a
    /// blocking handler delays other connections by no longer than that.
    /// </summary>
    Adaptive,

    /// <summary>Always on the loop's own thread. A blocking handler delays every connection of the loop.</summary>
    Inline,

    /// <summary>On the workers of the connection's node (<see cref="Scheduling.NumaTaskScheduler"/>).</summary>
    Node,

    /// <summary>On the .NET thread pool, as Kestrel's own transport does.</summary>
    ThreadPool,
}
