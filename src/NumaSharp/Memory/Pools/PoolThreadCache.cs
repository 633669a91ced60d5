using System.Runtime.CompilerServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// The free blocks that one thread keeps of one pool. The thread uses them without a lock while <see cref="Busy"/> is set and the
/// pool's gate is open; any other thread needs the pool's lock, a closed gate, and <see cref="Busy"/> seen clear after a
/// process-wide barrier (the asymmetric half of Dekker's algorithm: the thread pays two plain stores).
/// </summary>
internal sealed class PoolThreadCache
{
    [ThreadStatic]
    private static PoolThreadCache? t_last;

    public BlockStack Default;
    public bool Busy;

    /// <summary>The pool while its gate is open. Guarded by the pool's lock, read by the thread while it is busy.</summary>
    public NumaMemoryPool? Open;

    private readonly BlockStack[] _larger;

    public PoolThreadCache(NumaMemoryPool pool, int classCount)
    {
        Pool = pool;
        Open = pool;
        Thread = Thread.CurrentThread;
        Default = new BlockStack(0);
        _larger = new BlockStack[classCount - 1];
        Array.Fill(_larger, new BlockStack(0));
    }

    /// <summary>The pool; <see langword="null"/> once it is disposed, when its id may belong to another pool.</summary>
    public NumaMemoryPool? Pool { get; private set; }

    /// <summary>The owning thread. Once it has ended, any holder of the pool's lock may drain the cache.</summary>
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

    /// <summary>The calling thread's cache of the pool that it used last, if it is not disposed.</summary>
    public static PoolThreadCache? Last => t_last;

    /// <summary>The calling thread's cache of a pool, which is <see cref="Last"/> from then on.</summary>
    public static PoolThreadCache? Find(int poolId, NumaMemoryPool pool)
    {
        if (ThreadSlots.Find(poolId) is PoolThreadCache cache && ReferenceEquals(cache.Pool, pool))
        {
            t_last = cache;
            return cache;
        }

        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref BlockStack StackOf(int classIndex) => ref classIndex == 0 ? ref Default : ref _larger[classIndex - 1];

    /// <summary>For its thread: takes an ordinary block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPop(NumaMemoryPool pool, out NumaMemoryBlock block)
    {
        // Refusals first: the compiler then saves no registers for what only the slow path needs.
        Volatile.Write(ref Busy, true);
        if (!ReferenceEquals(Volatile.Read(ref Open), pool) || !Default.TryPop(out block))
        {
            Volatile.Write(ref Busy, false);
            block = null!;
            return false;
        }

        Volatile.Write(ref Busy, false);
        return true;
    }

    /// <summary>For its thread: takes a block of any size.</summary>
    public bool TryPop(NumaMemoryPool pool, int classIndex, out NumaMemoryBlock block)
    {
        block = null!;
        Volatile.Write(ref Busy, true);
        var isThere = ReferenceEquals(Volatile.Read(ref Open), pool) && StackOf(classIndex).TryPop(out block);
        Volatile.Write(ref Busy, false);
        return isThere;
    }

    /// <summary>For its thread: puts a block of any size on its stack.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(NumaMemoryPool pool, int classIndex, NumaMemoryBlock block)
    {
        Volatile.Write(ref Busy, true);
        var isThere = ReferenceEquals(Volatile.Read(ref Open), pool) && StackOf(classIndex).TryPush(block);
        Volatile.Write(ref Busy, false);
        return isThere;
    }

    /// <summary>
    /// For its thread, which has set <see cref="Busy"/>: puts an ordinary block on top, or returns it to its pool.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void PushElsewhere(NumaMemoryPool pool, NumaMemoryBlock block)
    {
        var isThere = ReferenceEquals(Volatile.Read(ref Open), pool) && Default.TryPush(block);
        Volatile.Write(ref Busy, false);
        if (!isThere)
        {
            pool.Return(block);
        }
    }

    /// <summary>Clears references to popped blocks. Called with the pool's gate closed.</summary>
    public void ForgetPopped()
    {
        Default.ForgetPopped();
        foreach (ref var stack in _larger.AsSpan())
        {
            stack.ForgetPopped();
        }
    }

    /// <summary>Cuts the cache from its pool, which is being disposed.</summary>
    public void Detach()
    {
        Pool = null;
        Volatile.Write(ref Open, null);
        Default.Clear();
        foreach (ref var stack in _larger.AsSpan())
        {
            stack.Clear();
        }
    }
}
