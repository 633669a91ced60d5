using NumaSharp.Core;

namespace NumaSharp.Udp;

/// <summary>
/// Counters of one shard since its socket was bound. Every datagram that arrived is counted: as received, or as dropped.
/// </summary>
public readonly record struct NumaUdpShardStatistics
{
    /// <summary>The kernel id of the shard's node.</summary>
    public NumaNodeId NodeId { get; init; }

    /// <summary>The number of its event loop.</summary>
    public int LoopIndex { get; init; }

    /// <summary>Received datagrams.</summary>
    public long ReceivedDatagrams { get; init; }

    /// <summary>Their payload in bytes.</summary>
    public long ReceivedBytes { get; init; }

    /// <summary>System calls that received them: datagrams per call show how well batching works.</summary>
    public long ReceivedBatches { get; init; }

    /// <summary>Datagrams that the kernel accepted for sending.</summary>
    public long SentDatagrams { get; init; }

    /// <summary>Their payload in bytes.</summary>
    public long SentBytes { get; init; }

    /// <summary>
    /// Datagrams that the kernel refused (sendmmsg(2)): too long for the path and not to be fragmented, forbidden by a filter, or
    /// without a route.
    /// </summary>
    public long RefusedDatagrams { get; init; }

    /// <summary>Replies of a handler that were dropped because the socket had no room.</summary>
    public long RepliesDropped { get; init; }

    /// <summary>
    /// Buffers that the kernel dropped because the socket's receive buffer was full (SO_MEMINFO, sock_diag(7)), and those queued
    /// when the socket was closed. Buffers, not datagrams: a buffer joined by the kernel (UDP_GRO) holds several datagrams.
    /// </summary>
    public long BuffersDropped { get; init; }

    /// <summary>
    /// Datagrams dropped because their source is the socket itself (<see cref="NumaUdpOptions.DropOwnSource"/>).
    /// </summary>
    public long OwnSourceDropped { get; init; }

    /// <summary>Errors reported by peers and routers (ICMP), on connected sockets.</summary>
    public long PeerErrors { get; init; }

    /// <summary>Failed receives, for example for lack of memory.</summary>
    public long ReceiveErrors { get; init; }

    /// <summary>Messages that the kernel truncated.</summary>
    public long TruncatedMessages { get; init; }

    /// <summary>Handler calls that threw.</summary>
    public long HandlerFailures { get; init; }

    /// <summary>How often a handler call hung and the shard continued with another one.</summary>
    public long HandlersReplaced { get; init; }

    /// <summary>How often the socket was lost, for example closed by other code, and reopened.</summary>
    public long Restarts { get; init; }

    /// <summary>Handler calls that hang now, and hanging calls of the function that creates handlers.</summary>
    public int HandlersStuck { get; init; }

    /// <summary>Open, serving sockets: one for a shard.</summary>
    public int Sockets { get; init; }

    /// <summary>
    /// False while a lost socket cannot be reopened, while hanging handlers keep the shard from receiving, and after it is
    /// closed.
    /// </summary>
    public bool IsServing { get; init; }

    /// <summary>The sum of both, with the first one's ids; serving if both are.</summary>
    internal NumaUdpShardStatistics Plus(NumaUdpShardStatistics other) => this with
    {
        ReceivedDatagrams = ReceivedDatagrams + other.ReceivedDatagrams,
        ReceivedBytes = ReceivedBytes + other.ReceivedBytes,
        ReceivedBatches = ReceivedBatches + other.ReceivedBatches,
        SentDatagrams = SentDatagrams + other.SentDatagrams,
        SentBytes = SentBytes + other.SentBytes,
        RefusedDatagrams = RefusedDatagrams + other.RefusedDatagrams,
        RepliesDropped = RepliesDropped + other.RepliesDropped,
        BuffersDropped = BuffersDropped + other.BuffersDropped,
        OwnSourceDropped = OwnSourceDropped + other.OwnSourceDropped,
        PeerErrors = PeerErrors + other.PeerErrors,
        ReceiveErrors = ReceiveErrors + other.ReceiveErrors,
        TruncatedMessages = TruncatedMessages + other.TruncatedMessages,
        HandlerFailures = HandlerFailures + other.HandlerFailures,
        HandlersReplaced = HandlersReplaced + other.HandlersReplaced,
        Restarts = Restarts + other.Restarts,
        HandlersStuck = HandlersStuck + other.HandlersStuck,
        Sockets = Sockets + other.Sockets,
        IsServing = IsServing && other.IsServing,
    };
}
