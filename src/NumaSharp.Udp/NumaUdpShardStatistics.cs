namespace NumaSharp.Udp;

/// <summary>
/// What happened on one shard since its socket was bound. Whatever came to it is in one of the numbers: received, or dropped.
/// </summary>
/// <param name="NodeId">The kernel id of the shard's node.</param>
/// <param name="LoopIndex">The number of its event loop.</param>
/// <param name="ReceivedDatagrams">Datagrams that were received.</param>
/// <param name="ReceivedBytes">Their payload.</param>
/// <param name="ReceivedBatches">System calls that have received them: datagrams per call tell how well batches work.</param>
/// <param name="SentDatagrams">Datagrams that the kernel has taken to send.</param>
/// <param name="SentBytes">Their payload.</param>
/// <param name="RefusedDatagrams">
/// Datagrams that it has refused (sendmmsg(2)): too long for the way and not to be fragmented, forbidden by a filter, no route.
/// </param>
/// <param name="RepliesDropped">Answers of a handler for which the socket had no room.</param>
/// <param name="BuffersDropped">
/// What the kernel has dropped because the socket's receive buffer was full (SO_MEMINFO, sock_diag(7)), and what was queued when
/// the socket was closed. Buffers, not datagrams: of what the kernel has joined (UDP_GRO) one buffer is several.
/// </param>
/// <param name="OwnSourceDropped">
/// Datagrams dropped because their source is the socket itself (<see cref="NumaUdpOptions.DropOwnSource"/>).
/// </param>
/// <param name="PeerErrors">Errors that peers and routers have answered with (ICMP), on connected sockets.</param>
/// <param name="ReceiveErrors">Failures of the system to receive, such as a lack of memory.</param>
/// <param name="TruncatedMessages">Messages of which the kernel has cut something off.</param>
/// <param name="HandlerFailures">Calls of the handler that have thrown.</param>
/// <param name="HandlersReplaced">How often a handler call hung and the shard continued with another one.</param>
/// <param name="Restarts">How often the socket was lost, closed by somebody else, say, and was made anew.</param>
/// <param name="HandlersStuck">Handler calls that are hanging now, and calls of the function that makes handlers.</param>
/// <param name="Sockets">Sockets that are open and serve: one for a shard.</param>
/// <param name="IsServing">
/// False while a lost socket cannot be reopened, while hanging handlers keep the shard from receiving, and when it is closed.
/// </param>
public readonly record struct NumaUdpShardStatistics(
    int NodeId,
    int LoopIndex,
    long ReceivedDatagrams,
    long ReceivedBytes,
    long ReceivedBatches,
    long SentDatagrams,
    long SentBytes,
    long RefusedDatagrams,
    long RepliesDropped,
    long BuffersDropped,
    long OwnSourceDropped,
    long PeerErrors,
    long ReceiveErrors,
    long TruncatedMessages,
    long HandlerFailures,
    long HandlersReplaced,
    long Restarts,
    int HandlersStuck,
    int Sockets,
    bool IsServing)
{
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
