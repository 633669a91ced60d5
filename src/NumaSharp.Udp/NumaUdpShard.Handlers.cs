using NumaSharp.Udp.Sharding;

namespace NumaSharp.Udp;

/// <content>
/// Handler calls that hang: the shard leaves them behind and continues with another receiver and handler.
/// </content>
public sealed partial class NumaUdpShard
{
    /// <summary>
    /// The most calls that are left behind at a time, because each keeps a thread and two batches. One more stops the shard.
    /// </summary>
    internal const int MaxLeftBehind = 8;

    // Guarded by _lifetime. Handlers are free again after their late calls have returned, and are reused first.
    private readonly List<HandlerReceiver> _leftBehind = [];
    private readonly Stack<IDatagramHandler> _freeHandlers = [];

    // Who must end before the shard has ended: the shard until it is closed, and each receiver, from before it is made.
    private int _holders = 2;
    private int _isReplacing;
    private volatile bool _isStuck;

    /// <summary>
    /// Gives the shard a new receiver after a call was left behind. Runs on the loop, because the application makes the handler.
    /// </summary>
    internal void ReplaceReceiver()
    {
        if (Interlocked.Exchange(ref _isReplacing, 1) != 0)
        {
            return;
        }

        try
        {
            if (_receiver is HandlerReceiver { IsAbandoned: true } && TryHold())
            {
                Replace();
            }
        }
        finally
        {
            Volatile.Write(ref _isReplacing, 0);
        }
    }

    /// <summary>A call that was left behind has returned.</summary>
    internal void OnLateReturn(HandlerReceiver receiver)
    {
        lock (_lifetime)
        {
            _leftBehind.Remove(receiver);
            _freeHandlers.Push(receiver.Handler);
        }

        _owner.OnHandlerReturned(this, receiver.DurationOfCall(Time));
    }

    internal void OnReceiverEnded() => Release();

    /// <summary>The receiver whose handler calls this, if it is one of the shard's.</summary>
    internal HandlerReceiver? FindCaller()
    {
        lock (_lifetime)
        {
            return _receiver is HandlerReceiver { IsHandlerCaller: true } current
                ? current
                : _leftBehind.Find(static late => late.IsHandlerCaller);
        }
    }

    private TimeProvider Time => _owner.Time ?? TimeProvider.System;

    private void LookAfterHandler()
    {
        if (_receiver is not HandlerReceiver receiver)
        {
            return;
        }

        if (receiver.IsAbandoned)
        {
            // Replacing it has failed: retry.
            Post();
            return;
        }

        var isStuck = receiver.Look(Time) >= _owner.LooksUntilStuck;
        var isLeftBehind = false;
        lock (_lifetime)
        {
            if (isStuck && _leftBehind.Count < MaxLeftBehind)
            {
                // Fails if the call has returned in the meantime.
                isStuck = isLeftBehind = receiver.TryAbandon();
            }

            if (isLeftBehind)
            {
                _leftBehind.Add(receiver);
            }

            _isStuck = isStuck;
        }

        if (isStuck)
        {
            _owner.OnHandlerStuck(this, receiver.DurationOfCall(Time), isLeftBehind);
        }

        if (isLeftBehind)
        {
            Post();
        }
    }

    private void Replace()
    {
        HandlerReceiver? made = null;
        IDatagramHandler? handler = null;
        try
        {
            handler = TakeFreeHandler() ?? _handlerOf!(this);
            made = new HandlerReceiver(this, handler);
        }
        catch (Exception exception)
        {
            // Anything the application throws, or out of memory: the next look retries.
            GiveBack(handler);
            Release();
            _owner.OnReplaceFailed(this, exception);
            return;
        }

        bool isClosed;
        lock (_lifetime)
        {
            isClosed = IsClosed;
            _receiver = made;
            _isStuck = false;
        }

        if (isClosed)
        {
            made.OnClosed();
            return;
        }

        Counters.OnHandlerReplaced();
        _coalescer?.Resume();

        // Datagrams may have arrived since the last receive.
        Post();
    }

    private IDatagramHandler? TakeFreeHandler()
    {
        lock (_lifetime)
        {
            return _freeHandlers.TryPop(out var handler) ? handler : null;
        }
    }

    private void GiveBack(IDatagramHandler? handler)
    {
        if (handler is not null)
        {
            lock (_lifetime)
            {
                _freeHandlers.Push(handler);
            }
        }
    }

    private int CountStuckHandlers()
    {
        lock (_lifetime)
        {
            return _leftBehind.Count + (_isStuck && _receiver is HandlerReceiver { IsAbandoned: false } ? 1 : 0);
        }
    }

    private bool TryHold()
    {
        lock (_lifetime)
        {
            if (!IsClosed)
            {
                Interlocked.Increment(ref _holders);
            }

            return !IsClosed;
        }
    }

    private void Release()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
        {
            _ended.TrySetResult();
        }
    }
}
