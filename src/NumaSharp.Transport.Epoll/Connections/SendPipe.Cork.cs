namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// When a flush is sent. Inside the connection's own callback it waits for the callback's end, so that a pipelined batch is one
/// send (2.3 against 11.1 microseconds). The cork belongs to connection and thread: a thread that has lost the loop sends by
/// itself, and what it had held back goes out with the hand-over. Where the loop has other events at hand, small sends wait for
/// those and then follow each other (docs/decisions/0027-sends-in-a-row.md); a post brings them, whoever has the loop then.
/// </content>
internal sealed partial class SendPipe
{
    // With this much waiting a send is not worth holding back.
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

    /// <summary>Whether flushes have long come one by one. A hint, read without the lock.</summary>
    public bool HasForgottenBursts => _burst.IsForgotten;

    /// <summary>The calling thread begins a callback of this connection.</summary>
    public void EnterCork() => Volatile.Write(ref _corkThread, Environment.CurrentManagedThreadId);

    /// <summary>The calling thread has ended its callback.</summary>
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

        // Only where a handler that blocks loses the loop, and with it what waits: otherwise there is no bound for this.
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

    /// <summary>In a posted callback: sends what has waited for it.</summary>
    public void SendPosted()
    {
        if (_sendIsPosted)
        {
            SendDeferred();
        }
    }

    /// <summary>Takes the cork from a thread that is late in its callback, and sends what it had held back.</summary>
    public void BreakCork()
    {
        // Under the lock: a flush either saw the cork, and is sent here, or finds none and sends by itself.
        lock (_lock)
        {
            _corkThread = NobodysThread;
        }

        SendDeferred();
    }

    /// <summary>Bytes came from the client: a response that follows is not part of a burst.</summary>
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

    // Called with the lock held. True: the bytes are sent later, by somebody who is on the way.
    private bool TryDefer()
    {
        AssertLocked();
        // A flush that has to wait must have met a full socket: only that brings the event that ends the wait.
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

        // It takes with it what is flushed until it runs.
        _sendIsQueued = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return true;
    }
}
