using System.Net.Sockets;
using NumaSharp.EventLoop;

namespace NumaSharp.Udp.Shards;

/// <summary>Calls a handler with received datagrams, and sends its replies.</summary>
/// <remarks>
/// One thread runs at a time; threads arriving meanwhile leave a note for it. A thread that has lost the loop in the handler
/// finishes its batch, and leaves the rest to the loop by a post. If the handler hangs for seconds, the shard is given to another
/// receiver with its own memory. When the late call returns, its replies are sent and this receiver ends.
/// </remarks>
internal sealed class HandlerReceiver : ShardReceiver
{
    private readonly NumaUdpShard _shard;
    private readonly NumaDatagramBatch _received;
    private readonly NumaDatagramBatch _answers;
    private readonly ReplyQueue _replies;

    // The number of arrivals since no thread was running; the thread that raises it to 1 runs.
    private int _calls;
    private bool _isBlocked;
    private bool _isEnded;
    private bool _isReleased;

    // Leaving the handler and taking the shard away are the same compare-and-exchange, so exactly one of them succeeds.
    private LoopBaton _baton;
    private int _caller;
    private volatile bool _isAbandoned;

    // State of the periodic checks.
    private long _word;
    private long _since;
    private int _unchanged;

    public HandlerReceiver(NumaUdpShard shard, IDatagramHandler handler)
    {
        _shard = shard;
        Handler = handler;
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

    /// <summary>The handler of the last call, or the next one. Only the running thread changes it, between calls.</summary>
    public IDatagramHandler Handler { get; private set; }

    /// <summary>Whether the shard was taken from this receiver because the handler hangs.</summary>
    public bool IsAbandoned => _isAbandoned;

    /// <summary>Whether the calling thread is in this receiver's handler.</summary>
    public bool IsHandlerCaller =>
        _caller == Environment.CurrentManagedThreadId
        && (LoopBaton.IsInCallback(_baton.Word) || (_isAbandoned && !_isEnded));

    /// <summary>Counts as ended from now on. Called in the handler.</summary>
    public void EndEarly()
    {
        if (!_isReleased)
        {
            _isReleased = true;
            _shard.OnReceiverEnded();
        }
    }

    /// <summary>
    /// Checks whether the handler is still in the same call. Counts checks, not time, as <see cref="StuckLoopMonitor"/> does: a
    /// pause of the whole process is one check.
    /// </summary>
    /// <returns>How many checks after the first have found the same call.</returns>
    public int Check(TimeProvider time)
    {
        var word = _baton.Word;
        if (LoopBaton.IsInCallback(word) && word == _word)
        {
            return ++_unchanged;
        }

        (_word, _since) = (word, time.GetTimestamp());
        return _unchanged = 0;
    }

    /// <summary>How long the call has been running since the first check that found it.</summary>
    public TimeSpan DurationOfCall(TimeProvider time) => time.GetElapsedTime(_since);

    /// <summary>Takes the shard away from the call that the checks have found. False if it has returned.</summary>
    public bool TryAbandon() => _isAbandoned = _baton.TrySteal(_word);

    public override void OnReady()
    {
        if (_isAbandoned)
        {
            _shard.ReplaceReceiver();
            return;
        }

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
                // Another thread or receiver continues, also with what has arrived in the meantime.
                Interlocked.Exchange(ref _calls, 0);
                _shard.Post();
                return;
            }
        }
        while (Interlocked.Add(ref _calls, -seen) != 0);
    }

    public override void OnClosed() => OnReady();

    /// <summary>Returns the memory. Called by the running thread, or before any thread has the receiver.</summary>
    public void End()
    {
        _isEnded = true;

        // Those that waited for room in a socket that is closed now.
        _replies.DropAll();
        _received.Dispose();
        _answers.Dispose();
        if (!_isReleased)
        {
            _shard.OnReceiverEnded();
        }
    }

    /// <returns>Whether the thread may continue.</returns>
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
                    if (!Handle())
                    {
                        EndLate();
                        return false;
                    }

                    break;
                case ReceiveState.Dropped:
                    break;
                case ReceiveState.PeerError:
                    if (!HandleError(error))
                    {
                        EndLate();
                        return false;
                    }

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

            // A batch that is not full means that nothing is left, or that an error ended it, which causes an event.
            if (!_received.IsFull && !_shard.IsStopping)
            {
                return true;
            }
        }

        _shard.Post();
        return true;
    }

    /// <returns>Whether the shard is still this receiver's.</returns>
    private bool Handle()
    {
        var word = Enter();
        try
        {
            Handler.OnBatch(new DatagramBatch(_shard, _received, _replies));
        }
        catch (Exception exception)
        {
            // Exceptions of application code must not end the loop, which serves other sockets.
            _shard.OnHandlerFailed(exception);
        }

        return _baton.TryLeave(word);
    }

    /// <returns>Whether the shard is still this receiver's.</returns>
    private bool HandleError(SocketError error)
    {
        var word = Enter();
        try
        {
            Handler.OnError(error);
        }
        catch (Exception exception)
        {
            // Must not end the loop, as in Handle.
            _shard.OnHandlerFailed(exception);
        }

        return _baton.TryLeave(word);
    }

    private long Enter()
    {
        Handler = _shard.NextHandler(Handler);
        _caller = Environment.CurrentManagedThreadId;
        return _baton.Enter();
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

    // Replies without room are dropped: only the current receiver waits for room.
    private void EndLate()
    {
        _replies.FlushOrDrop();
        _shard.OnLateReturn(this);
        End();
    }
}
