namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// When a flush is sent. Inside the connection's own callback it waits for the end of the callback, so that a pipelined batch is
/// one send (2.3 instead of 11.1 microseconds). The cork belongs to connection and thread: a thread that has lost the loop sends
/// directly, and the bytes it held back go out with the hand-over. If the loop has more events, small sends wait for those and
/// then follow each other (docs/decisions/0027-sends-in-a-row.md); a post sends them, on whichever thread holds the loop by then.
/// </content>
internal sealed partial class SendPipe
{
    // With this many bytes waiting, a send is not worth delaying.
    private const int MaxCorked = 64 << 10;

    // Larger ones would leave the core's caches before they are sent.
    internal const int MaxPosted = 16 << 10;

    private const int NobodysThread = 0;

    private int _corkThread;
    private FlushBurst _burst;
    private bool _sendIsQueued;
    private volatile bool _isDeferred;
    private volatile bool _sendIsPosted;

    /// <summary>Whether flushes come in bursts. A hint, read without the lock.</summary>
    public bool ExpectsBursts => _burst.IsExpected;

    /// <summary>Whether flushes have come one by one for a long time. A hint, read without the lock.</summary>
    public bool HasForgottenBursts => _burst.IsForgotten;

    /// <summary>The calling thread begins a callback of this connection.</summary>
    public void EnterCork() => Volatile.Write(ref _corkThread, Environment.CurrentManagedThreadId);

    /// <summary>The calling thread has finished its callback.</summary>
    public void LeaveCork()
    {
        if (_corkThread == Environment.CurrentManagedThreadId)
        {
            Volatile.Write(ref _corkThread, NobodysThread);
        }

        if (!_isDeferred)
        {
            return;
        }

        // Only in Adaptive mode, where a blocking handler loses the loop and its posts with it: elsewhere the delay has no bound.
        if (_unsent <= MaxPosted
            && _connection.Shard.Options.Dispatch == EpollDispatchMode.Adaptive
            && _connection.Shard.Loop.HasMoreEvents)
        {
            _isDeferred = false;
            _sendIsPosted = true;
            _connection.PostToLoop();
        }
        else
        {
            SendDeferred();
        }
    }

    /// <summary>In a posted callback: sends the bytes that waited for it.</summary>
    public void SendPosted()
    {
        if (_sendIsPosted)
        {
            SendDeferred();
        }
    }

    /// <summary>Takes the cork from a thread that is late in its callback, and sends the bytes it held back.</summary>
    public void BreakCork()
    {
        // Under the lock: a flush either saw the cork and is sent here, or sees none and sends directly.
        lock (_lock)
        {
            _corkThread = NobodysThread;
        }

        SendDeferred();
    }

    /// <summary>Bytes came from the client: a response that follows does not belong to a burst.</summary>
    public void OnReceived() => _burst.OnReceived();

    void IThreadPoolWorkItem.Execute() => SendDeferred();

    private void SendDeferred()
    {
        bool resume;
        lock (_lock)
        {
            _isDeferred = false;
            _sendIsQueued = false;
            _sendIsPosted = false;
            if (!_isBlocked)
            {
                Send();
            }

            resume = TryEndWaiting();
        }

        if (resume)
        {
            DeliverElsewhere();
        }
    }

    // Called with the lock held. True: a send that is already due will carry the bytes.
    private bool TryDefer()
    {
        AssertLocked();
        // A flush that has to wait must have filled the socket's buffer: only then does an event end the wait.
        if (_unsent >= Math.Min(MaxCorked, _pauseThreshold))
        {
            return false;
        }

        if (_corkThread == Environment.CurrentManagedThreadId && _connection.MayCork)
        {
            _isDeferred = true;
            return true;
        }

        _burst.OnFlush();
        if (_sendIsQueued || _sendIsPosted)
        {
            return true;
        }

        if (!_burst.IsExpected)
        {
            return false;
        }

        // The work item also sends all flushes until it runs.
        _sendIsQueued = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return true;
    }
}
