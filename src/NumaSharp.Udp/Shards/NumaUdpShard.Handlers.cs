using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp;

/// <content>
/// Hanging handler calls: the shard leaves them behind and continues with another receiver and handler.
/// </content>
public sealed partial class NumaUdpShard
{
    /// <summary>
    /// The maximum number of calls left behind, because each keeps a thread and two batches. One more stops the shard.
    /// </summary>
    internal const int MaxLeftBehind = 8;

    // Guarded by _lifetime. Handlers are free again once their late calls have returned, and are reused first.
    private readonly List<HandlerReceiver> _leftBehind = [];
    private readonly Stack<IDatagramHandler> _freeHandlers = [];

    // It may hold the application's state of the shard, so it is preferred to the others.
    private readonly IDatagramHandler? _firstHandler;
    private volatile bool _isFirstHandlerFree;

    // References that must be released before the shard has ended: the shard's own, until it is closed, and one per receiver.
    private int _holders = 2;
    private volatile bool _isStuck;

    // Guarded by _lifetime: the replacement in progress, and the number of earlier ones that hang in the application's function.
    private Replacement? _replacement;
    private int _lateReplacements;

    /// <summary>
    /// Gives the shard a new receiver after a call was left behind. On the loop, because the application creates the handler.
    /// </summary>
    internal void ReplaceReceiver()
    {
        var replacement = new Replacement();
        HandlerReceiver stuck;
        lock (_lifetime)
        {
            if (_replacement is not null || IsClosed || _receiver is not HandlerReceiver { IsAbandoned: true } receiver)
            {
                return;
            }

            (stuck, _replacement) = (receiver, replacement);
            Interlocked.Increment(ref _holders);
        }

        try
        {
            Replace(stuck, replacement);
        }
        finally
        {
            lock (_lifetime)
            {
                if (_replacement == replacement)
                {
                    _replacement = null;
                }
                else
                {
                    _lateReplacements--;
                }
            }
        }
    }

    /// <summary>A call that was left behind has returned.</summary>
    internal void OnLateReturn(HandlerReceiver receiver)
    {
        lock (_lifetime)
        {
            _leftBehind.Remove(receiver);
            GiveBack(receiver.Handler);
        }

        _owner.OnHandlerReturned(this, receiver.DurationOfCall(Time));
    }

    /// <summary>The handler to call next: the shard's first one, once it is free again.</summary>
    internal IDatagramHandler NextHandler(IDatagramHandler current)
    {
        if (!_isFirstHandlerFree || current == _firstHandler)
        {
            return current;
        }

        lock (_lifetime)
        {
            var next = TakeFreeHandler() ?? current;
            if (next != current)
            {
                GiveBack(current);
            }

            return next;
        }
    }

    internal void OnReceiverEnded() => Release();

    /// <summary>The receiver that is calling its handler on this thread, if it is one of the shard's.</summary>
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

    private void CheckHandler()
    {
        if (_receiver is not HandlerReceiver receiver)
        {
            return;
        }

        if (receiver.IsAbandoned)
        {
            // Replacing it has failed, or hangs: retry.
            CheckReplacement(receiver);
            Post();
            return;
        }

        var isStuck = receiver.Check(Time) >= _owner.ChecksUntilStuck;
        var isLeftBehind = false;
        lock (_lifetime)
        {
            if (isStuck && CountLeftBehind() < MaxLeftBehind)
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

        if (isLeftBehind)
        {
            Post();
        }
        else if (isStuck)
        {
            _owner.OnTooManyHandlersStuck(this, receiver.DurationOfCall(Time));
        }
    }

    // Counts checks, as for handler calls. The function that creates handlers is the application's, too.
    private void CheckReplacement(HandlerReceiver stuck)
    {
        lock (_lifetime)
        {
            if (_receiver != stuck || _replacement is not { } replacement || replacement.Checks++ < _owner.ChecksUntilStuck)
            {
                return;
            }

            if (CountLeftBehind() < MaxLeftBehind)
            {
                // Another thread may replace the receiver. The late one will leave the shard alone.
                _replacement = null;
                _lateReplacements++;
            }
        }

        _owner.OnReplaceFailed(this, new TimeoutException("The function that creates a handler does not return."));
    }

    private void Replace(HandlerReceiver stuck, Replacement replacement)
    {
        HandlerReceiver made;
        IDatagramHandler? handler = null;
        try
        {
            handler = TakeFreeHandler() ?? _handlerOf!(this);
            made = new HandlerReceiver(this, handler);
        }
        catch (Exception exception)
        {
            // An exception of the application, or out of memory: the next check retries.
            if (handler is not null)
            {
                GiveBack(handler);
            }

            Release();
            _owner.OnReplaceFailed(this, exception);
            return;
        }

        bool isClosed, isLate;
        lock (_lifetime)
        {
            isClosed = IsClosed;
            isLate = _replacement != replacement;
            if (isLate)
            {
                GiveBack(handler);
            }
            else
            {
                _receiver = made;
                _isStuck = false;
            }
        }

        if (isLate)
        {
            made.End();
            return;
        }

        if (isClosed)
        {
            made.OnClosed();
            return;
        }

        _owner.OnHandlerStuck(this, stuck.DurationOfCall(Time));
        Counters.OnHandlerReplaced();
        _coalescer?.Resume();

        // Datagrams may have arrived since the last receive.
        Post();
    }

    private IDatagramHandler? TakeFreeHandler()
    {
        lock (_lifetime)
        {
            if (_isFirstHandlerFree)
            {
                _isFirstHandlerFree = false;
                return _firstHandler;
            }

            return _freeHandlers.TryPop(out var handler) ? handler : null;
        }
    }

    private void GiveBack(IDatagramHandler handler)
    {
        lock (_lifetime)
        {
            if (handler == _firstHandler)
            {
                _isFirstHandlerFree = true;
            }
            else
            {
                _freeHandlers.Push(handler);
            }
        }
    }

    private int CountStuckHandlers()
    {
        lock (_lifetime)
        {
            // A call that was left behind may return before the shard has another handler.
            var count = CountLeftBehind();
            return _isStuck && (count == 0 || _receiver is HandlerReceiver { IsAbandoned: false }) ? count + 1 : count;
        }
    }

    private int CountLeftBehind() => _leftBehind.Count + _lateReplacements;

    private void Release()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
        {
            _ended.TrySetResult();
        }
    }

    /// <summary>A thread that is creating a handler and a receiver.</summary>
    private sealed class Replacement
    {
        /// <summary>The number of checks that have found it.</summary>
        public int Checks { get; set; }
    }
}
