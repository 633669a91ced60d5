using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>Forwards the events of a connection's socket to its pipes.</summary>
internal sealed class ConnectionEvents(EpollConnection connection, ReceivePipe input, SendPipe output) : EventLoopHandler
{
    private const EventLoopEvents AlwaysWatched =
        EventLoopEvents.Readable | EventLoopEvents.PeerClosed | EventLoopEvents.Urgent;

    private const EventLoopEvents Ended = EventLoopEvents.PeerClosed | EventLoopEvents.HangUp | EventLoopEvents.Error;

    private volatile bool _hasEnded;

    internal override LoopUser User => connection.Shard.User;

    /// <summary>
    /// The events a connection's socket is watched for. A TCP socket becomes writable only after a short send, so EPOLLOUT is
    /// always watched. A Unix socket becomes writable whenever its peer reads, which would add one event per reply.
    /// </summary>
    public static EventLoopEvents Watched(bool isUnix, bool waitsForRoom) =>
        isUnix && !waitsForRoom ? AlwaysWatched : AlwaysWatched | EventLoopEvents.Writable;

    public static ConnectionAbortedException ToException(NumaException reason) =>
        new($"The loop cannot watch the connection: {reason.Message}", reason);

    /// <summary>
    /// After every callback: a waiting reader sees the end of the stream itself; otherwise ConnectionClosed reports it. The event
    /// may be long past if the bytes before the end took several reads.
    /// </summary>
    public void ReportEnd()
    {
        if (_hasEnded && input.NoteEndUnlessWaiting())
        {
            connection.OnPeerGone();
        }
    }

    /// <summary>Shown in messages about what the loop is running.</summary>
    public override string ToString() => $"connection {connection.ConnectionId}";

    protected internal override void OnReady(EventLoopEvents events)
    {
        if ((events & EventLoopEvents.Posted) != 0)
        {
            // Before anything that may run application code.
            output.SendPosted();
        }

        connection.ReconsiderDispatch();
        if ((events & Ended) != 0)
        {
            _hasEnded = true;
        }

        // A worker that runs the application elsewhere holds the cork, perhaps in the middle of a pipelined batch.
        var corks = connection.Dispatcher.IsInline;
        if (corks)
        {
            input.BeginTurn();
            output.EnterCork();
        }

        try
        {
            // Recorded before application code runs: if that blocks, the loop's next holder must know about the event.
            var isEvent = (events & (EventLoopEvents.Readable | Ended)) != 0;
            input.NoteReadable(isEvent, drainFully: (events & (Ended | EventLoopEvents.Urgent)) != 0);
            if ((events & EventLoopEvents.Readable) != 0 && connection.Shard.ConnectionLog.IsEnabled)
            {
                input.LogPause();
            }

            if (!connection.Shard.Loop.IsHeldByCurrentThread)
            {
                // The loop was lost before NoteReadable, so the post from OnHandedOver may have found nothing to do.
                connection.PostToLoop();
            }

            if ((events & (EventLoopEvents.Writable | EventLoopEvents.Error | EventLoopEvents.HangUp)) != 0)
            {
                output.OnWritable();
            }

            if (isEvent || (events & EventLoopEvents.Posted) != 0)
            {
                input.OnReadable();
            }

            if ((events & EventLoopEvents.Error) != 0)
            {
                input.OnFailed();
            }

            ReportEnd();
        }
        finally
        {
            if (corks)
            {
                output.LeaveCork();
            }
        }
    }

    /// <summary>The transport is disposed: others may use the loop, and nothing else would end the connection.</summary>
    public void Abandon() => connection.Abandon();

    protected internal override void OnUnwatched(NumaException reason) => connection.Abort(ToException(reason));

    // A post finishes the late callback's work: events it has recorded but not handled.
    protected internal override void OnHandedOver()
    {
        output.BreakCork();
        connection.OnHandedOver();
        connection.PostToLoop();
    }
}
