using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll;

/// <summary>Counters of one event loop, over all its restarts.</summary>
public readonly record struct EpollLoopStatistics
{
    /// <summary>The kernel id of the loop's node.</summary>
    public NumaNodeId NodeId { get; init; }

    /// <summary>The number of the loop.</summary>
    public int LoopIndex { get; init; }

    /// <summary>Open connections, both accepted and outgoing.</summary>
    public long ActiveConnections { get; init; }

    /// <summary>Connections that were accepted and are, or were, served by this loop.</summary>
    public long AcceptedConnections { get; init; }

    /// <summary>
    /// The part of them that arrived at another loop's listening socket and were given to this one (<see cref="EpollSteering"/>).
    /// </summary>
    public long PlacedConnections { get; init; }

    /// <summary>Errors of accept(2) on this loop, and connections that could not be set up.</summary>
    public long AcceptErrors { get; init; }

    /// <summary>Listening sockets that have paused accepting, because descriptors or memory are short.</summary>
    public long PausedListeners { get; init; }

    /// <summary>Bytes received from clients.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Bytes handed to the kernel for clients.</summary>
    public long BytesSent { get; init; }

    /// <summary>The number of receives, estimated from one sample in 64; 0 on a machine with one node.</summary>
    public long EstimatedReceives { get; init; }

    /// <summary>
    /// The part of <see cref="EstimatedReceives"/> with packets received by a CPU of another node (SO_INCOMING_CPU, socket(7)),
    /// from one sample in 64.
    /// </summary>
    public long CrossNodeReceives { get; init; }

    /// <summary>How often the loop moved to a spare thread because a callback blocked its own.</summary>
    public long HandOvers { get; init; }

    /// <summary>
    /// How often a connection was moved to the node's workers: for a minute, because its callbacks repeatedly blocked the loop's
    /// thread, or while a quarter of the threads that the loop may have were blocked.
    /// </summary>
    public long Demotions { get; init; }

    /// <summary>Listening sockets that were lost (closed by other code, for example) and could not be reopened yet.</summary>
    public long BrokenListeners { get; init; }

    /// <summary>How often the loop was rebuilt: by itself after epoll failed on it, or by <c>RestartAsync</c>.</summary>
    public long Restarts { get; init; }

    /// <summary>False while epoll fails on the loop and it cannot be rebuilt.</summary>
    public bool IsServing { get; init; }

    /// <summary>
    /// How long one callback has blocked the loop while no other thread could take over, as of the last second; zero while the
    /// loop serves, otherwise at least 5 seconds.
    /// </summary>
    public TimeSpan StuckFor { get; init; }
}
