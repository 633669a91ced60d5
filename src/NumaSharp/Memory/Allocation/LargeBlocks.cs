using System.Diagnostics;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// A node's blocks above the largest size class. A few recently freed ones wait, mapped, for the next request of about their
/// size: taking and clearing their pages again would cost more than any bookkeeping. Not with a guard: there a use after the free
/// must fault. Guarded by the node's lock, except for unmapping: munmap(2) of a gibibyte takes tens of milliseconds, in which
/// other threads need the node. A block to be unmapped is condemned under the lock and unmapped after it.
/// </summary>
internal sealed class LargeBlocks(NodeMemory memory, Lock nodeLock, bool keepsFreed)
{
    private const long MostCachedBytes = 64L << 20;
    private const int MostCached = 32;
    private const int WasteDivisor = 8;

    private static readonly NumaResult s_tooLarge = new(NumaFailure.OutOfMemory, 0, "no address space is that large");

    private readonly List<LargeBlock> _cached = [];

    // Taken before the node's lock, never within it.
    private readonly Lock _unmapping = new();
    private LargeBlock? _condemned;
    private long _cachedBytes;
    private long _bytes;
    private long _blocks;
    private bool _closed;
    private bool _used;
    private int _place;

    public long Bytes => Volatile.Read(ref _bytes);

    public long Blocks => Volatile.Read(ref _blocks);

    /// <summary>A block of at least the size; <see langword="null"/> at the limit or for the failure.</summary>
    public LargeBlock? Allocate(AllocatorNode node, nuint size, nuint alignment, out NumaResult failure)
    {
        failure = NumaResult.Success;
        if (size > long.MaxValue - (2 * memory.PageSize))
        {
            failure = s_tooLarge;
            return null;
        }

        int place;
        var length = memory.RoundToPages(Math.Max(size, 1));
        lock (nodeLock)
        {
            ObjectDisposedException.ThrowIf(_closed, typeof(NumaAllocator));
            var cached = TakeCached(length, alignment);
            if (cached is null && memory.AvailableBytes < (long)length)
            {
                return null;
            }

            _used = true;
            Count((long)(cached?.Length ?? length), blocks: 1);
            if (cached is not null)
            {
                return cached;
            }

            memory.Charge(length);
            place = _place;
        }

        return Map(node, length, alignment, place, out failure);
    }

    public void Free(LargeBlock block)
    {
        // It is in no table any more: an interruption must not lose it.
        using (UninterruptedLock.Enter(nodeLock))
        {
            Count(-(long)block.Length, blocks: -1);
            if (_closed || !keepsFreed || block.Place != _place || (long)block.Length > MostCachedBytes / 2)
            {
                Condemn(block);
            }
            else
            {
                block.IsUsed = true;
                _cached.Add(block);
                _cachedBytes += (long)block.Length;
                while (_cachedBytes > MostCachedBytes || _cached.Count > MostCached)
                {
                    CondemnOldest();
                }
            }

            if (_condemned is null)
            {
                return;
            }
        }

        UnmapCondemned();
    }

    /// <summary>
    /// The source of memory has changed: cached blocks are condemned, and those in use when they are freed. Called as
    /// <see cref="CondemnCached"/>.
    /// </summary>
    public void Move()
    {
        _place++;
        CondemnCached(long.MaxValue);
    }

    /// <summary>
    /// Condemns cached blocks, the oldest first. Called under the node's lock; <see cref="UnmapCondemned"/> follows after it.
    /// </summary>
    /// <returns>How many bytes.</returns>
    public long CondemnCached(long mostBytes)
    {
        long condemned = 0;
        while (_cached.Count > 0 && condemned + (long)_cached[0].Length <= mostBytes)
        {
            condemned += (long)_cached[0].Length;
            CondemnOldest();
        }

        return condemned;
    }

    /// <summary>
    /// Unmaps condemned blocks. When it returns, all blocks condemned before the call are unmapped, and no longer count towards
    /// the limit, whichever thread has unmapped them. Called without the node's lock.
    /// </summary>
    public void UnmapCondemned()
    {
        Debug.Assert(!nodeLock.IsHeldByCurrentThread, "Others need the node while the kernel unmaps.");

        // After a free, or in the middle of a change of nodes: both must complete.
        using (UninterruptedLock.Enter(_unmapping))
        {
            // One by one: if a provider throws, the others stay condemned.
            while (TakeCondemned() is { } block)
            {
                memory.Release(block.Address, block.Length, block.Length);
            }
        }
    }

    /// <summary>Whether none has been allocated since the last call.</summary>
    public bool WasIdle()
    {
        var wasIdle = !_used;
        _used = false;
        return wasIdle;
    }

    public void Close() => _closed = true;

    private LargeBlock? TakeCached(nuint length, nuint alignment)
    {
        for (var i = _cached.Count - 1; i >= 0; i--)
        {
            var block = _cached[i];
            if (block.Length >= length && block.Length - length <= length / WasteDivisor && (nuint)block.Address % alignment == 0)
            {
                _cached.RemoveAt(i);
                _cachedBytes -= (long)block.Length;
                return block;
            }
        }

        return null;
    }

    // Without the lock: other threads want blocks. Counted before, so that a disposal waits for it.
    private LargeBlock? Map(AllocatorNode node, nuint length, nuint alignment, int place, out NumaResult failure)
    {
        LargeBlock? block = null;
        try
        {
            failure = memory.MapCharged(length, Math.Max(alignment, memory.PageSize), out var address);
            return failure.Succeeded ? block = new LargeBlock(node, address, length, place) : null;
        }
        finally
        {
            if (block is null)
            {
                using (UninterruptedLock.Enter(nodeLock))
                {
                    Count(-(long)length, blocks: -1);
                }
            }
        }
    }

    private void Count(long bytes, int blocks)
    {
        Volatile.Write(ref _bytes, _bytes + bytes);
        Volatile.Write(ref _blocks, _blocks + blocks);
    }

    private void CondemnOldest()
    {
        var block = _cached[0];
        _cached.RemoveAt(0);
        _cachedBytes -= (long)block.Length;
        Condemn(block);
    }

    private void Condemn(LargeBlock block)
    {
        block.Next = _condemned;
        _condemned = block;
    }

    private LargeBlock? TakeCondemned()
    {
        using (UninterruptedLock.Enter(nodeLock))
        {
            var block = _condemned;
            _condemned = block?.Next;
            return block;
        }
    }
}

/// <summary>A block of the allocator with a mapping of its own.</summary>
internal sealed class LargeBlock(AllocatorNode node, nint address, nuint length, int place)
{
    public AllocatorNode Node => node;

    public nint Address => address;

    public nuint Length => length;

    /// <summary>Which of the node's successive memory sources its pages come from.</summary>
    public int Place => place;

    /// <summary>Whether it was in use before: its pages exist, and are not zero.</summary>
    public bool IsUsed { get; set; }

    /// <summary>The next one in a list that it is in.</summary>
    public LargeBlock? Next { get; set; }
}
