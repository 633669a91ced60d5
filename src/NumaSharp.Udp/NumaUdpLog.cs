using System.Net;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Udp;

/// <summary>The events of UDP, numbers 600 to 699.</summary>
internal sealed partial class NumaUdpLog(OutboxLogger logger)
{
    [LoggerMessage(600, LogLevel.Debug, "Receiving on {EndPoint} with {Shards} shards.")]
    public partial void Receiving(EndPoint endPoint, int shards);

    [LoggerMessage(601, LogLevel.Error,
        "The handler of {EndPoint} threw an exception on loop {Loop}; {Failures} times so far. The rest of its batch is lost.")]
    public partial void HandlerFailed(EndPoint endPoint, int loop, long failures, Exception exception);

    [LoggerMessage(602, LogLevel.Error,
        "Loop {Loop} lost its socket for {EndPoint} ({Error}): other code in this process closed it. Opening a new socket; "
        + "datagrams queued in the old one are lost.")]
    public partial void SocketLost(int loop, EndPoint endPoint, string error);

    [LoggerMessage(603, LogLevel.Error,
        "Loop {Loop} cannot open a socket for {EndPoint}; retrying every second: {Error}")]
    public partial void RestartFailed(int loop, EndPoint endPoint, string error);

    [LoggerMessage(604, LogLevel.Information, "Loop {Loop} reopened its socket for {EndPoint}.")]
    public partial void Restarted(int loop, EndPoint endPoint);

    [LoggerMessage(605, LogLevel.Error, "Receiving on {EndPoint} on loop {Loop} failed; retrying: {Error}")]
    public partial void ReceiveFailed(EndPoint endPoint, int loop, string error);

    [LoggerMessage(606, LogLevel.Error, "A callback on an event loop threw an exception.")]
    public partial void LoopCallbackFailed(Exception exception);

    [LoggerMessage(607, LogLevel.Information,
        "Loop {Loop} moved to a spare thread: a datagram handler blocked it for more than {Threshold} ms; "
        + "{HandOvers} times so far.")]
    public partial void HandedOver(int loop, double threshold, long handOvers);

    [LoggerMessage(608, LogLevel.Warning,
        "A handler of {EndPoint} did not return within {Seconds} s after its socket was closed; it is abandoned.")]
    public partial void HandlerLeftBehind(EndPoint endPoint, double seconds);

    [LoggerMessage(609, LogLevel.Error, "Checking the sockets of {EndPoint} failed; retrying in a second.")]
    public partial void CheckFailed(EndPoint endPoint, Exception exception);

    [LoggerMessage(610, LogLevel.Error,
        "Loop {Loop}: {Error} Rebuilding the loop; sockets are kept.")]
    public partial void LoopFailed(int loop, string error);

    [LoggerMessage(611, LogLevel.Error,
        "Loop {Loop} on node {Node} has been blocked for {Seconds} s by {Callback}: {Reason}.")]
    public partial void LoopStuck(int loop, int node, long seconds, string callback, string reason);

    [LoggerMessage(612, LogLevel.Warning, "Loop {Loop} on node {Node} resumed after {Seconds} s.")]
    public partial void LoopResumed(int loop, int node, long seconds);

    [LoggerMessage(613, LogLevel.Error,
        "A handler call of {EndPoint} on loop {Loop} has been hanging for {Seconds} s. Its shard continues with another "
        + "handler.")]
    public partial void HandlerStuck(EndPoint endPoint, int loop, long seconds);

    [LoggerMessage(614, LogLevel.Error,
        "A handler call of {EndPoint} on loop {Loop} has been hanging for {Seconds} s, as have {LeftBehind} others before it. "
        + "The shard receives nothing until one of them returns.")]
    public partial void HandlersStuck(EndPoint endPoint, int loop, long seconds, int leftBehind);

    [LoggerMessage(615, LogLevel.Warning,
        "A hanging handler call of {EndPoint} on loop {Loop} returned after {Seconds} s.")]
    public partial void HandlerReturned(EndPoint endPoint, int loop, long seconds);

    [LoggerMessage(616, LogLevel.Error,
        "Replacing a hanging handler of {EndPoint} on loop {Loop} failed; retrying every second. Until then the shard receives "
        + "nothing.")]
    public partial void ReplaceFailed(EndPoint endPoint, int loop, Exception exception);

    [LoggerMessage(617, LogLevel.Information,
        "The addresses of this machine's interfaces cannot be read ({Error}). {EndPoint} recognizes datagrams from itself only "
        + "on loopback and on addresses that were read before. Allow AF_NETLINK sockets, or set DropOwnSource to false.")]
    public partial void WithoutAddresses(EndPoint endPoint, string error);

    [LoggerMessage(618, LogLevel.Error,
        "Loop {Loop} cannot watch its socket for {EndPoint} ({Error}); retrying every second. Until then the socket receives "
        + "nothing, and datagrams wait in it.")]
    public partial void SocketUnwatched(int loop, EndPoint endPoint, string error);

    [LoggerMessage(619, LogLevel.Information, "Loop {Loop} watches its socket for {EndPoint} again.")]
    public partial void SocketWatched(int loop, EndPoint endPoint);
}
