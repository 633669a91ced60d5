using System.Net.Sockets;
using NumaSharp.EventLoop;

namespace NumaSharp.Udp.Sharding;

/// <summary>Calls a handler with what comes, and sends its answers.</summary>
/// <remarks>
/// One thread at a time runs, whoever comes meanwhile leaves word. A thread that has lost the loop in the handler finishes its
/// batch, and leaves the rest to the loop by a post.
/// </remarks>
internal sealed class HandlerReceiver : ShardReceiver
{
    private readonly NumaUdpShard _shard;
    private readonly IDatagramHandler _handler;
    private readonly NumaDatagramBatch _received;
    private readonly NumaDatagramBatch _answers;
    private readonly ReplyQueue _replies;

    // How many have come since nobody ran; whoever made it 1 runs.
    private int _calls;
    private bool _isBlocked;
    private bool _isEnded;

    public HandlerReceiver(NumaUdpShard shard, IDatagramHandler handler)
    {
        _shard = shard;
        _handler = handler;
        _received = shard.CreateBatch();
        try
        {
            _answers = shard.CreateBatch();
        }
        catch
        {
            _received.Dispose();
            throw;
        }

        _replies = new ReplyQueue(shard, _answers);
    }

    public override void OnReady()
    {
        if (Interlocked.Increment(ref _calls) != 1)
        {
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _calls);
            if (!RunTurn())
            {
                // The loop is another thread's by now: it goes on, also with what has come meanwhile.
                Interlocked.Exchange(ref _calls, 0);
                _shard.Post();
                return;
            }
        }
        while (Interlocked.Add(ref _calls, -seen) != 0);
    }

    public override void OnClosed() => OnReady();

    /// <returns>Whether the thread may go on.</returns>
    private bool RunTurn()
    {
        if (_isEnded)
        {
            return true;
        }

        if (_shard.IsClosed)
        {
            End();
            return true;
        }

        if (_isBlocked && !TryFlush())
        {
            return true;
        }

        for (var i = 0; i < BatchesPerTurn; i++)
        {
            switch (_shard.Receive(_received, out var error))
            {
                case ReceiveState.Received:
                    Handle();
                    break;
                case ReceiveState.PeerError:
                    Tell(error);
                    continue;
                case ReceiveState.Ended:
                    _shard.OnDrained();
                    return true;
                default:
                    return true;
            }

            if (!TryFlush())
            {
                return true;
            }

            if (!_shard.IsOnLoop)
            {
                return false;
            }

            // The kernel gives fewer than there was room for when nothing is left. An error would end it, too, and is an event.
            if (!_received.IsFull && !_shard.IsStopping)
            {
                return true;
            }
        }

        _shard.Post();
        return true;
    }

    private void Handle()
    {
        try
        {
            _handler.OnBatch(new DatagramBatch(_shard, _received, _replies));
        }
        catch (Exception exception)
        {
            // Whatever an application's code throws: it must not end the loop, which serves others.
            _shard.OnHandlerFailed(exception);
        }
    }

    private void Tell(SocketError error)
    {
        try
        {
            _handler.OnError(error);
        }
        catch (Exception exception)
        {
            // As above.
            _shard.OnHandlerFailed(exception);
        }
    }

    private bool TryFlush()
    {
        var isBlocked = !_replies.TryFlush();
        if (isBlocked != _isBlocked)
        {
            _isBlocked = isBlocked;
            _shard.Watch.WaitForReplies(isBlocked);
        }

        return !isBlocked;
    }

    private void End()
    {
        _isEnded = true;
        _received.Dispose();
        _answers.Dispose();
        _shard.OnReceiverEnded();
    }
}
