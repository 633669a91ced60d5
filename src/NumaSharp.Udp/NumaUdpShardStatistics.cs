using NumaSharp.Core;

namespace NumaSharp.Udp;

/// <summary>
/// What happened on one shard since its socket was bound. Whatever came to it is in one of the numbers: received, or dropped.
/// </summary>
public readonly record struct NumaUdpShardStatistics
{
    /// <summary>The kernel id of the shard's node.</summary>
    public NumaNodeId NodeId { get; init; }

    /// <summary>The number of its event loop.</summary>
    public int LoopIndex { get; init; }

    /// <summary>Datagrams that were received.</summary>
    public long ReceivedDatagrams { get; init; }

    /// <summary>Their payload.</summary>
    public long ReceivedBytes { get; init; }

    /// <summary>System calls that have received them: datagrams per call tell how well batches work.</summary>
    public long ReceivedBatches { get; init; }

    /// <summary>Datagrams that the kernel has taken to send.</summary>
    public long SentDatagrams { get; init; }

    /// <summary>Their payload.</summary>
    public long SentBytes { get; init; }

    /// <summary>
    /// Datagrams that it has refused (sendmmsg(2)): too long for the way and not to be fragmented, forbidden by a filter, no
    /// route.
    /// </summary>
    public long RefusedDatagrams { get; init; }

    /// <summary>Answers of a handler for which the socket had no room.</summary>
    public long RepliesDropped { get; init; }

    /// <summary>
    /// What the kernel has dropped because the socket's receive buffer was full (SO_MEMINFO, sock_diag(7)), and what was
    /// queued when the socket was closed. Buffers, not datagrams: of what the kernel has joined (UDP_GRO) one buffer is
    /// several.
    /// </summary>
    public long BuffersDropped { get; init; }

    /// <summary>
    /// Datagrams dropped because their source is the socket itself (<see cref="NumaUdpOptions.DropOwnSource"/>).
    /// </summary>
    public long OwnSourceDropped { get; init; }

    /// <summary>Errors that peers and routers have answered with (ICMP), on connected sockets.</summary>
    public long PeerErrors { get; init; }

    /// <summary>Failures of the system to receive, such as a lack of memory.</summary>
    public long ReceiveErrors { get; init; }

    /// <summary>Messages of which the kernel has cut something off.</summary>
    public long TruncatedMessages { get; init; }

    /// <summary>Calls of the handler that have thrown.</summary>
    public long HandlerFailures { get; init; }

    /// <summary>How often a handler call hung and the shard continued with another one.</summary>
    public long HandlersReplaced { get; init; }

    /// <summary>How often the socket was lost, closed by somebody else, say, and was made anew.</summary>
    public long Restarts { get; init; }

    /// <summary>Handler calls that are hanging now, and calls of the function that makes handlers.</summary>
    public int HandlersStuck { get; init; }

    /// <summary>Sockets that are open and serve: one for a shard.</summary>
    public int Sockets { get; init; }

    /// <summary>
    /// False while a lost socket cannot be reopened, while hanging handlers keep the shard from receiving, and when it is
    /// closed.
    /// </summary>
    public bool IsServing { get; init; }

    /// <summary>What both have done, as the first one; serving when both are.</summary>
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
