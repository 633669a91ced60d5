using System.Net;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll;

/// <summary>
/// The transport's events, numbers 500 to 599, and those of single connections, with the numbers, names and fields of Kestrel's
/// socket transport. All of an assembly are in one class: the generator writes several in an order that differs from build to
/// build.
/// </summary>
internal sealed partial class EpollTransportLog(OutboxLogger logger)
{
    [LoggerMessage(4, LogLevel.Debug, "Connection id \"{ConnectionId}\" paused.", EventName = nameof(ConnectionPause))]
    public partial void ConnectionPause(string connectionId);

    [LoggerMessage(5, LogLevel.Debug, "Connection id \"{ConnectionId}\" resumed.", EventName = nameof(ConnectionResume))]
    public partial void ConnectionResume(string connectionId);

    [LoggerMessage(6, LogLevel.Debug, "Connection id \"{ConnectionId}\" received FIN.", EventName = nameof(ConnectionReadFin))]
    public partial void ConnectionReadFin(string connectionId);

    [LoggerMessage(7, LogLevel.Debug, "Connection id \"{ConnectionId}\" sending FIN because: \"{Reason}\"",
        EventName = nameof(ConnectionWriteFin))]
    public partial void ConnectionWriteFin(string connectionId, string reason);

    [LoggerMessage(8, LogLevel.Debug, "Connection id \"{ConnectionId}\" sending RST because: \"{Reason}\"",
        EventName = nameof(ConnectionWriteRst))]
    public partial void ConnectionWriteRst(string connectionId, string reason);

    [LoggerMessage(14, LogLevel.Debug, "Connection id \"{ConnectionId}\" communication error.",
        EventName = nameof(ConnectionError))]
    public partial void ConnectionError(string connectionId, Exception exception);

    [LoggerMessage(19, LogLevel.Debug, "Connection id \"{ConnectionId}\" reset.", EventName = nameof(ConnectionReset))]
    public partial void ConnectionReset(string connectionId);

    [LoggerMessage(500, LogLevel.Debug, "Listening on {EndPoint} with {Shards} shards, dispatch {Dispatch}.")]
    public partial void Listening(EndPoint endPoint, int shards, EpollDispatchMode dispatch);

    [LoggerMessage(501, LogLevel.Warning,
        "Accepting on loop {Loop} pauses for {Pause} ms ({Error}). Connections wait in the backlog. Raise RLIMIT_NOFILE, or free "
        + "memory.")]
    public partial void AcceptPaused(int loop, int pause, string error);

    [LoggerMessage(502, LogLevel.Warning,
        "Loop {Loop} resets waiting connections: out of descriptors for {Seconds} s. Raise RLIMIT_NOFILE.")]
    public partial void ConnectionShed(int loop, int seconds);

    [LoggerMessage(503, LogLevel.Error, "A connection accepted on loop {Loop} could not be set up and was closed.")]
    public partial void AdoptFailed(int loop, Exception exception);

    [LoggerMessage(504, LogLevel.Error, "Accepting on loop {Loop} failed; retrying in {Pause} ms: {Error}.")]
    public partial void AcceptFailed(int loop, int pause, string error);

    [LoggerMessage(505, LogLevel.Error, "A ConnectionClosed callback of connection {ConnectionId} threw an exception.")]
    public partial void ClosedCallbackFailed(string connectionId, Exception exception);

    [LoggerMessage(506, LogLevel.Error, "A callback on an event loop threw an exception.")]
    public partial void LoopCallbackFailed(Exception exception);

    [LoggerMessage(507, LogLevel.Information,
        "Loop {Loop} moved to a spare thread: application code blocked it for more than {Threshold} ms; "
        + "{HandOvers} times so far. Blocking calls in request handlers are the usual cause.")]
    public partial void HandedOver(int loop, double threshold, long handOvers);

    [LoggerMessage(509, LogLevel.Error,
        "Loop {Loop} lost its listening socket for {EndPoint} ({Error}): other code in this process closed it or shut it down. "
        + "Opening a new socket; connections in the old backlog are lost.")]
    public partial void ListenerLost(int loop, EndPoint endPoint, string error);

    [LoggerMessage(510, LogLevel.Error,
        "Loop {Loop}: {Error} Rebuilding the loop; connections are kept.")]
    public partial void LoopFailed(int loop, string error);

    [LoggerMessage(511, LogLevel.Error,
        "Loop {Loop} on node {Node} has been blocked for {Seconds} s by {Callback}: {Reason}.")]
    public partial void LoopStuck(int loop, int node, long seconds, string callback, string reason);

    [LoggerMessage(512, LogLevel.Warning, "Loop {Loop} on node {Node} resumed after {Seconds} s.")]
    public partial void LoopResumed(int loop, int node, long seconds);
}
