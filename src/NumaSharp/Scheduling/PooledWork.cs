namespace NumaSharp.Scheduling;

/// <summary>
/// A reusable carrier of a callback and its state to a worker. Mostly one thread queues and another one runs, so free carriers
/// return from the latter to the former in batches: one exchange for <see cref="BatchSize"/> items.
/// </summary>
internal sealed class PooledWork<TState> : IThreadPoolWorkItem
{
    private const int BatchSize = 32;

    // A thread keeps at most two batches, all threads together share this many more; the collector takes the rest.
    private const int MaxBatches = 32;

    private static readonly PooledWork<TState>?[] s_batches = new PooledWork<TState>?[MaxBatches];

    [ThreadStatic]
    private static Cache? t_cache;

    private PooledWork<TState>? _next;
    private Action<TState>? _callback;
    private TState? _state;

    /// <summary>For the debugger: the state that is carried now.</summary>
    public TState? State => _state;

    private PooledWork()
    {
    }

    public static PooledWork<TState> Rent(Action<TState> callback, TState state)
    {
        var work = (t_cache ??= new Cache()).TryTake() ?? new PooledWork<TState>();
        work._callback = callback;
        work._state = state;
        return work;
    }

    public void Execute()
    {
        var (callback, state) = (_callback!, _state!);
        (_callback, _state) = (null, default);
        (t_cache ??= new Cache()).Add(this);
        callback(state);
    }

    private static PooledWork<TState>? TakeBatch()
    {
        for (var i = 0; i < MaxBatches; i++)
        {
            if (Volatile.Read(ref s_batches[i]) is not null && Interlocked.Exchange(ref s_batches[i], null) is { } batch)
            {
                return batch;
            }
        }

        return null;
    }

    private static void GiveBatch(PooledWork<TState> batch)
    {
        for (var i = 0; i < MaxBatches; i++)
        {
            if (Volatile.Read(ref s_batches[i]) is null
                && Interlocked.CompareExchange(ref s_batches[i], batch, null) is null)
            {
                return;
            }
        }
    }

    /// <summary>
    /// The free carriers of a thread: a batch in use, and a full one, so that a thread at the edge does not swap each time.
    /// </summary>
    private sealed class Cache
    {
        private PooledWork<TState>? _head;
        private PooledWork<TState>? _full;
        private int _count;

        public PooledWork<TState>? TryTake()
        {
            if (_head is null)
            {
                _head = _full ?? TakeBatch();
                _full = null;
                if (_head is null)
                {
                    return null;
                }

                _count = BatchSize;
            }

            var work = _head;
            _head = work._next;
            work._next = null;
            _count--;
            return work;
        }

        public void Add(PooledWork<TState> work)
        {
            if (_count == BatchSize)
            {
                if (_full is not null)
                {
                    GiveBatch(_full);
                }

                _full = _head;
                _head = null;
                _count = 0;
            }

            work._next = _head;
            _head = work;
            _count++;
        }
    }
}
