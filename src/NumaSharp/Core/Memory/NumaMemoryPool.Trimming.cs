using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <content>Giving slabs back to the system.</content>
public sealed partial class NumaMemoryPool : ITrimmable
{
    private readonly IdleTrimmer _trimmer;
    private long _keepBytes;
    private readonly Stack<PoolSlab> _retired = new();
    private long _retiredBytes;

    /// <summary>
    /// Changes <see cref="NumaMemoryPoolOptions.TrimAfter"/> and <see cref="NumaMemoryPoolOptions.KeepBytes"/>, from now on. A
    /// pool that is disposed stays as it is.
    /// </summary>
    /// <param name="trimAfter">How long free memory that nobody needed stays; 0 for ever, else from 1 ms to 49 days.</param>
    /// <param name="keepBytes">How many bytes stay whatever nobody needed.</param>
    /// <exception cref="ArgumentOutOfRangeException">One is outside its range; neither has changed.</exception>
    public void SetTrimming(TimeSpan trimAfter, long keepBytes)
    {
        IdleTrimmer.CheckInterval(trimAfter);
        ArgumentOutOfRangeException.ThrowIfNegative(keepBytes);
        Volatile.Write(ref _keepBytes, keepBytes);
        _trimmer.SetInterval(trimAfter);
    }

    // What nobody has touched since the last tick goes. Then everything that is free comes together, so that the next tick can
    // tell what was needed: the threads' caches count nothing themselves. The gate is closed for that only. Whoever needs the
    // lock waits while what is free is sorted (docs/decisions/0016-pool-sizes.md), but for one munmap(2) only.
    void ITrimmable.TrimIdle()
    {
        lock (_lock)
        {
            if (_gate != 0)
            {
                return;
            }

            foreach (var size in _classes)
            {
                Retire(size, size.LowestFree, _keepBytes);
            }

            if (CommittedBytes - _retiredBytes > _keepBytes)
            {
                GatherFree();
            }
        }

        ReleaseRetired();
    }

    private void GatherFree()
    {
        if (_caches.Exists(static cache => !cache.IsEmpty))
        {
            CloseGate(GateDraining);
            try
            {
                DrainAll();
            }
            finally
            {
                OpenGate();
            }
        }

        foreach (var size in _classes)
        {
            size.CountFree(size.Free.Count);
            size.Free.SortBySlab(size.Slabs);
            size.LowestFree = size.Free.Count;
        }
    }

    /// <summary>Takes the slabs out of use of which all blocks are among the lowest of the free ones.</summary>
    private void Retire(PoolSizeClass size, int lowest, long keepBytes)
    {
        size.LowestFree = 0;
        size.CountFree(lowest);
        var retired = _retired.Count;
        foreach (var slab in size.Slabs)
        {
            var kept = CommittedBytes - _retiredBytes - (long)slab.CommittedBytes;
            if (slab.FreeBlocks == slab.Carved && kept >= keepBytes)
            {
                slab.IsRetired = true;
                size.Created -= slab.Carved;
                _retired.Push(slab);
                _retiredBytes += (long)slab.CommittedBytes;
            }
        }

        if (_retired.Count > retired)
        {
            size.RemoveRetired();
        }
    }

    // Retired slabs count as committed: whoever is at the limit releases them before failing.
    private void ReleaseRetired()
    {
        while (ReleaseOneRetired())
        {
        }
    }

    private bool ReleaseOneRetired()
    {
        lock (_lock)
        {
            if (!_retired.TryPop(out var slab))
            {
                return false;
            }

            _retiredBytes -= (long)slab.CommittedBytes;
            Release(slab);
            return true;
        }
    }
}
