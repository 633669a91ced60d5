namespace NumaSharp.Hosting;

/// <summary>Where the code behind a connection runs.</summary>
public enum TransportDispatch
{
    /// <summary>On the event loop as long as it does not hold it up, else on the node's scheduler.</summary>
    Adaptive,

    /// <summary>Always on the event loop: fastest, for code that never blocks.</summary>
    Inline,

    /// <summary>Always on the scheduler of the connection's node.</summary>
    Node,

    /// <summary>Always on the thread pool, as with Kestrel's own transport.</summary>
    ThreadPool,
}
