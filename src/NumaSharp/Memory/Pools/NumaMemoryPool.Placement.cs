using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>
/// The nodes that pages come from, when they change. Binding moves nothing, so the pages of free blocks are given up: the next
/// touch takes new ones, from the new nodes. Blocks in use are checked again, less and less often, until all have been free once
/// (docs/decisions/0016-pool-sizes.md).
/// </content>
public sealed partial class NumaMemoryPool
{
    // Serializes work on old pages. A rent waits for it before it fails. Taken before all others.
    private readonly Lock _moving = new();
    private readonly RenewalTimer _renewing;
    private bool _isMoving;

    /// <summary>
    /// Takes new pages from another source. Blocks stay valid; those in use, with their content, stay where they are until they
    /// are returned. If a provider throws in the middle, the next call continues.
    /// </summary>
    internal void MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        lock (_moving)
        {
            _isMoving |= _memory.MoveTo(source, firstTouchCpus);
            if (_isMoving)
            {
                // May be repeated: an interruption must not leave half of the slabs behind.
                Interruption.Outlast(RebindAll);
                _isMoving = false;
            }
        }
    }

    private void RebindAll()
    {
        foreach (var size in _classes)
        {
            // A slab that is being added has been bound to the former source.
            lock (size.Growing)
            {
                Rebind(size);
            }
        }

        _renewing.Start();
    }

    // The system is called without the pool's lock: pages that other threads touch in between count as old, wherever they are
    // from.
    private void Rebind(PoolSizeClass size)
    {
        PoolSlab[] slabs;
        lock (_lock)
        {
            slabs = !_isDisposed ? [.. size.Slabs] : [];
        }

        foreach (var slab in slabs)
        {
            // No slab is unmapped while it is bound: its addresses could already belong to other memory.
            lock (_releasing)
            {
                if (IsInUse(slab) && _memory.Rebind(slab.Address, slab.Size))
                {
                    slab.MarkPagesOld(_memory.PageSize);
                }
            }
        }
    }

    private bool IsInUse(PoolSlab slab)
    {
        lock (_lock)
        {
            return !_isDisposed && !slab.IsRetired;
        }
    }

    /// <returns>Whether blocks in use have old pages.</returns>
    private bool RenewFree()
    {
        lock (_lock)
        {
            if (_isDisposed || !_classes.Any(static size => size.Slabs.Exists(static slab => slab.HasOldPages)))
            {
                return false;
            }

            GatherFromThreads();
        }

        var isNeeded = false;
        foreach (var size in _classes)
        {
            foreach (var slab in FindOld(size))
            {
                // A rent that finds nothing free waits for these blocks.
                lock (size.Growing)
                {
                    isNeeded |= Renew(size, slab);
                }
            }
        }

        ReleaseRetired();
        return isNeeded;
    }

    private PoolSlab[] FindOld(PoolSizeClass size)
    {
        lock (_lock)
        {
            return [.. size.Slabs.Where(static slab => slab.HasOldPages)];
        }
    }

    // The blocks are out of circulation while the system is asked: no lock that others need is held then.
    private bool Renew(PoolSizeClass size, PoolSlab slab)
    {
        NumaMemoryBlock[] blocks;
        lock (_lock)
        {
            if (_isDisposed || slab.IsRetired)
            {
                return false;
            }

            blocks = size.Free.TakeAllOf(slab);
            size.Created -= blocks.Length;
            _growingBlocks += blocks.Length;
        }

        var isPossible = true;
        try
        {
            isPossible = slab.TryRenew(blocks, _memory, _checks);
        }
        finally
        {
            using (UninterruptedLock.Enter(_lock))
            {
                PutBack(size, slab, blocks, isPossible);
            }
        }

        return slab.HasOldPages;
    }

    private void PutBack(PoolSizeClass size, PoolSlab slab, NumaMemoryBlock[] blocks, bool isPossible)
    {
        _growingBlocks -= blocks.Length;
        if (_isDisposed)
        {
            foreach (var block in blocks)
            {
                // It must not look abandoned, and be counted twice. One that two threads returned at once is here twice.
                _outstanding -= block.TryEnd() ? 1 : 0;
                slab.Untrack(block);
            }

            CondemnIfAllReturned();
            return;
        }

        size.Created += blocks.Length;
        foreach (var block in blocks)
        {
            size.Free.Push(block);
        }

        if (!isPossible && slab.Group == FreeSlabs.Whole)
        {
            // Pages that cannot be given up alone (huge pages, Windows) go with the slab: now, or with a trim that finds it free.
            Condemn(size, slab);
            size.RemoveRetired();
        }
    }
}
