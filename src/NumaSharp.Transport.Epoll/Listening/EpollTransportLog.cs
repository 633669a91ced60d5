using System.Net;
using Microsoft.Extensions.Logging;
using NumaSharp.Logging;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>The transport's events, numbers 500 to 599.</summary>
internal sealed partial class EpollTransportLog(OutboxLogger logger)
{
    [LoggerMessage(500, LogLevel.Debug, "Listening on {EndPoint} with {Shards} shards, dispatch {Dispatch}.")]
    public partial void Listening(EndPoint endPoint, int shards, EpollDispatchMode dispatch);

    [LoggerMessage(501, LogLevel.Warning,
        "Accepting on loop {Loop} pauses for {Pause} ms: {Error}. Connections wait in the backlog; raise the limit.")]
    public partial void AcceptPaused(int loop, int pause, string error);

    [LoggerMessage(502, LogLevel.Warning,
        "Loop {Loop} refuses waiting connections: there have been no descriptors for them for {Seconds} s. Raise RLIMIT_NOFILE.")]
    public partial void ConnectionShed(int loop, int seconds);

    [LoggerMessage(503, LogLevel.Error, "A connection that was accepted on loop {Loop} could not be set up and was closed.")]
    public partial void AdoptFailed(int loop, Exception exception);

    [LoggerMessage(504, LogLevel.Error, "Accepting on loop {Loop} failed and is tried again in {Pause} ms: {Error}.")]
    public partial void AcceptFailed(int loop, int pause, string error);

    [LoggerMessage(509, LogLevel.Error,
        "Loop {Loop} has lost its listening socket of {EndPoint} ({Error}): somebody has closed or shut it down. "
        + "A new one is made; who waited in its queue is lost.")]
    public partial void ListenerLost(int loop, EndPoint endPoint, string error);

    [LoggerMessage(510, LogLevel.Error,
        "The kernel has failed loop {Loop}: {Error} The loop makes itself anew, and its connections go on.")]
    public partial void LoopFailed(int loop, string error);

    [LoggerMessage(511, LogLevel.Error,
        "Loop {Loop} of node {Node} has served nobody for {Seconds} s. It is kept by {Callback}: {Reason}.")]
    public partial void LoopStuck(int loop, int node, long seconds, string callback, string reason);

    [LoggerMessage(512, LogLevel.Warning, "Loop {Loop} of node {Node} goes on after {Seconds} s.")]
    public partial void LoopGoesOn(int loop, int node, long seconds);

    [LoggerMessage(505, LogLevel.Error, "A callback of ConnectionClosed of connection {ConnectionId} threw.")]
    public partial void ClosedCallbackFailed(string connectionId, Exception exception);

    [LoggerMessage(506, LogLevel.Error, "A callback on an event loop threw.")]
    public partial void LoopCallbackFailed(Exception exception);

    [LoggerMessage(507, LogLevel.Information,
        "Loop {Loop} went on with another thread because application code kept its own for more than {Threshold} ms; "
        + "{HandOvers} times so far. Blocking calls in request handlers are the usual cause.")]
    public partial void HandedOver(int loop, double threshold, long handOvers);
}
