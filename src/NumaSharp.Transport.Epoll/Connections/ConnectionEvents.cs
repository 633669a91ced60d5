using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>Brings the events of a connection's socket to its pipes.</summary>
internal sealed class ConnectionEvents(EpollConnection connection, ReceivePipe input, SendPipe output) : EventLoopHandler
{
    private const EventLoopEvents AlwaysWatched =
        EventLoopEvents.Readable | EventLoopEvents.PeerClosed | EventLoopEvents.Urgent;

    private const EventLoopEvents Ended = EventLoopEvents.PeerClosed | EventLoopEvents.HangUp | EventLoopEvents.Error;

    private volatile bool _hasEnded;

    /// <summary>
    /// What a connection's socket is watched for. A TCP socket becomes writable only after a short send, so it is always watched
    /// for that. A Unix socket does whenever its peer reads, which would be one more event for each answer.
    /// </summary>
    public static EventLoopEvents Watched(bool isUnix, bool waitsForRoom) =>
        isUnix && !waitsForRoom ? AlwaysWatched : AlwaysWatched | EventLoopEvents.Writable;

    public static ConnectionAbortedException ToException(NumaException reason) =>
        new($"The loop cannot watch the connection: {reason.Message}", reason);

    /// <summary>
    /// After every callback: somebody who waits for bytes meets the end by himself, somebody who does not is told. The event
    /// may be long past, when the bytes in front of the end took several reads.
    /// </summary>
    public void TellEnd()
    {
        if (_hasEnded && input.NoteEndUnlessWaiting())
        {
            connection.OnPeerGone();
        }
    }

    /// <summary>For messages about what a loop does.</summary>
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

        // A worker that runs the application elsewhere has the cork, perhaps in the middle of a pipelined batch.
        var corks = connection.Dispatcher.IsInline;
        if (corks)
        {
            input.BeginTurn();
            output.EnterCork();
        }

        try
        {
            // Noted before anything runs application code: if that blocks, the loop's next holder must know of it.
            var isEvent = (events & (EventLoopEvents.Readable | Ended)) != 0;
            input.NoteReadable(isEvent, drainFully: (events & (Ended | EventLoopEvents.Urgent)) != 0);
            if ((events & EventLoopEvents.Readable) != 0 && connection.Shard.ConnectionLog.IsEnabled)
            {
                input.LogPause();
            }

            if (!connection.Shard.Loop.IsHeldByCurrentThread)
            {
                // The loop was lost before that, and the post of OnHandedOver may have found nothing yet.
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

            TellEnd();
        }
        finally
        {
            if (corks)
            {
                output.LeaveCork();
            }
        }
    }

    protected internal override void OnUnwatched(NumaException reason) => connection.Abort(ToException(reason));

    // The rest of the late callback is done by a post: what it has noted and not come to.
    protected internal override void OnHandedOver()
    {
        output.BreakCork();
        connection.OnHandedOver();
        connection.PostToLoop();
    }
}
