using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>
/// Blocks that cannot be returned any more: the collector has taken their owners. Each block has a weak handle to its owner,
/// created with it, that is cleared only when no finalizer can reach the owner either (so none can return a block taken back
/// here). The handles are checked after a collection; renting and returning do nothing for it
/// (docs/decisions/0016-pool-sizes.md).
/// </content>
public sealed partial class NumaMemoryPool
{
    private readonly NumaFallbacks _fallbacks;
    private long _abandonedBlocks;
    private int _isCheckQueued;
    private volatile bool _isOver;

    /// <summary>
    /// How many blocks were rented, never returned, and taken back by the pool because the garbage collector had found their
    /// owners unreachable. The first is reported as the fallback <c>memory.abandoned</c>.
    /// </summary>
    public long AbandonedBlocks => Volatile.Read(ref _abandonedBlocks);

    /// <summary>The owners checked under the lock. For tests.</summary>
    internal long CheckedOwners { get; private set; }

    /// <summary>Runs on the thread of the finalizers, which must not wait for a lock: another thread checks.</summary>
    /// <returns>Whether the next collection matters, too.</returns>
    internal bool OnCollected()
    {
        if (!_isOver && Interlocked.Exchange(ref _isCheckQueued, 1) == 0)
        {
            try
            {
                ThreadPool.UnsafeQueueUserWorkItem(static pool => pool.CheckForAbandoned(), this, preferLocal: false);
            }
            catch (OutOfMemoryException)
            {
                // Thrown here it would end the process. Retried at the next collection.
                Volatile.Write(ref _isCheckQueued, 0);
            }
        }

        return !_isOver;
    }

    private void CheckForAbandoned()
    {
        Volatile.Write(ref _isCheckQueued, 0);
        lock (_lock)
        {
            if (!_isDisposed && RentedBlocks > 0)
            {
                WithGateClosed(ForgetPopped);
            }

            ReclaimAbandoned();
            _isOver = _isDisposed && _outstanding <= 0 && _dedicated.Count == 0;
        }

        try
        {
            ReleaseRetired();
        }
        catch (Exception exception)
        {
            // A memory provider's. The thread pool's thread has no caller to throw it to.
            ProviderErrors.Report(_fallbacks, exception);
        }
    }

    // Under the lock, with the gate closed. Stacks keep references to popped blocks, which costs the fast path nothing but hides
    // from the collector that these have no other user: abandoned blocks are found by the next collection.
    private void ForgetPopped()
    {
        foreach (var cache in _caches)
        {
            cache.ForgetPopped();
        }

        foreach (var size in _classes)
        {
            size.Free.ForgetPopped();
            size.Slabs.ForEach(static slab => slab.Free.ForgetPopped());
        }
    }

    // Under the lock.
    private void ReclaimAbandoned()
    {
        var found = new List<NumaMemoryBlock>();
        foreach (var size in _classes)
        {
            size.Slabs.ForEach(slab => Find(slab, size.Length, size.Index));
        }

        foreach (var slab in _dedicated)
        {
            Find(slab, (int)slab.Stride, -1);
        }

        found.ForEach(ReclaimAbandoned);

        void Find(PoolSlab slab, int length, int classIndex)
        {
            CheckedOwners += slab.Carved;
            found.AddRange(
                slab.FindAbandoned().Select(address => new NumaMemoryBlock(this, address, length, classIndex, slab)));
        }
    }

    // Under the lock. Counted last: once the count shows it, the block is back.
    private void ReclaimAbandoned(NumaMemoryBlock block)
    {
        var rent = _checks?.OnAbandoned(block);
        ReturnAbandoned(block);
        ReportAbandoned(block, rent);
    }

    // As its user should have returned it, but with an owner that was never rented out.
    private void ReturnAbandoned(NumaMemoryBlock block)
    {
        if (block.IsDedicated)
        {
            // Unmapped after the lock, as slabs are.
            _dedicated.Remove(block.Slab);
            block.Slab.UntrackAll();
            Retire(block.Slab);
            return;
        }

        if (_zeroOnReturn && _checks is null)
        {
            block.Clear();
        }

        block.Slab.Track(block);
        if (_isDisposed)
        {
            OnReturnedAfterDispose(block);
        }
        else
        {
            _classes[block.ClassIndex].Free.Push(block);
        }
    }

    private void ReportAbandoned(NumaMemoryBlock block, string? rent)
    {
        var count = Interlocked.Increment(ref _abandonedBlocks);
        var which = rent is null
            ? $"It has {block.Length} bytes."
            : $"It is {rent}.";
        _fallbacks.Note(
            new NumaFallback(
                FallbackCatalog.MemoryAbandoned,
                $"A block of the {this} was rented and never returned, and nothing refers to its owner any more: the pool has "
                + $"taken it back. {which} Later ones are only counted.",
                NodeId),
            isNew: count == 1);
    }
}
