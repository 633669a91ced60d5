using System.Runtime.CompilerServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// The free blocks that one thread keeps of one pool. The thread uses them without a lock while <see cref="Busy"/> is set
/// and the pool's gate is open; anybody else needs the pool's lock, a closed gate, and <see cref="Busy"/> seen clear after
/// a process-wide barrier (the asymmetric half of Dekker's algorithm: the thread pays two plain stores).
/// </summary>
internal sealed class PoolThreadCache
{
    public static readonly SmallNumbers Ids = new();

    [ThreadStatic]
    private static PoolThreadCache? t_last;

    [ThreadStatic]
    private static PoolThreadCache?[]? t_byPool;

    public BlockStack Default;
    public bool Busy;

    private readonly BlockStack[] _larger;

    public PoolThreadCache(NumaMemoryPool pool, int classCount)
    {
        Pool = pool;
        Thread = Thread.CurrentThread;
        Default = new BlockStack(0);
        _larger = new BlockStack[classCount - 1];
        Array.Fill(_larger, new BlockStack(0));
    }

    /// <summary>The pool; <see langword="null"/> once it is disposed, when its id may belong to another pool.</summary>
    public NumaMemoryPool? Pool { get; private set; }

    /// <summary>Whose it is: a cache whose thread has ended is anybody's who holds the pool's lock.</summary>
    public Thread Thread { get; }

    public bool IsEmpty
    {
        get
        {
            var count = Default.Count;
            foreach (ref var stack in _larger.AsSpan())
            {
                count += stack.Count;
            }

            return count == 0;
        }
    }

    /// <summary>The calling thread's caches by pool id.</summary>
    public static ReadOnlySpan<PoolThreadCache?> OfThisThread => t_byPool;

    /// <summary>The calling thread's cache of a pool; the one that it used last is found at once.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static PoolThreadCache? Find(int poolId, NumaMemoryPool pool)
    {
        var last = t_last;
        return last is not null && ReferenceEquals(last.Pool, pool) ? last : FindAmongAll(poolId, pool);
    }

    public static void Attach(int poolId, PoolThreadCache cache)
    {
        var caches = t_byPool ?? [];
        if (poolId >= caches.Length)
        {
            Array.Resize(ref caches, Math.Max(poolId + 1, caches.Length * 2));
        }

        caches[poolId] = cache;
        t_byPool = caches;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref BlockStack StackOf(int classIndex) => ref classIndex == 0 ? ref Default : ref _larger[classIndex - 1];

    /// <summary>Cuts the cache from its pool, which is being disposed.</summary>
    public void Detach()
    {
        Pool = null;
        Default.Clear();
        foreach (ref var stack in _larger.AsSpan())
        {
            stack.Clear();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static PoolThreadCache? FindAmongAll(int poolId, NumaMemoryPool pool)
    {
        var caches = t_byPool;
        if (caches is not null && (uint)poolId < (uint)caches.Length && caches[poolId] is { } cache
            && ReferenceEquals(cache.Pool, pool))
        {
            t_last = cache;
            return cache;
        }

        return null;
    }
}
