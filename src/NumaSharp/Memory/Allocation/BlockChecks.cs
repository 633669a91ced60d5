namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The mode for development: every block has a record outside it and margins around it, and freed blocks wait before they are
/// used again. The lock is taken last.
/// </summary>
internal sealed unsafe partial class BlockChecks(NumaAllocator allocator, AllocationSites sites, NumaFallbacks fallbacks)
    : BlockGuard(allocator)
{
    // Nothing foreign runs under it: records are looked up, and the memory of blocks is compared, which must stay meanwhile.
    // Exceptions are thrown after it: the application's exception filters run before an exception leaves a lock.
    private readonly Lock _lock = new();

    // By the user's address: blocks in use, and recently freed ones.
    private readonly Dictionary<nint, CheckedBlock> _blocks = [];
    private readonly CheckedCounts _counts = new();

    public override bool AlwaysMoves => true;

    public override void* Allocate(int nodeIndex, nuint size, nuint alignment)
    {
        // Earlier findings are reported before anything is done, and not by a free of something else.
        ThrowFindings();
        var site = sites.Capture();
        var block = Take(nodeIndex, size, alignment, site);
        if (TakeFormer(block) is { } former && former.FindWriteAfterFree() is { } damage)
        {
            Allocator.FreeUnguarded(block.Start);
            throw MemoryModes.Wrong(damage);
        }

        block.Prepare();
        lock (_lock)
        {
            _blocks[block.Address] = block;
            _counts.Add(block);
        }

        return (void*)block.Address;
    }

    public override void Free(nint address)
    {
        var site = sites.Capture();

        // Asks the affinity provider, which may be a plugin's.
        var current = Allocator.CurrentIndex;
        CheckedBlock? block;
        InvalidOperationException? whyNot;
        lock (_lock)
        {
            block = FindInUse(address, out whyNot);
            if (block is not null)
            {
                block.State = CheckedState.Leaving;
                block.FreedAt = site;
                _counts.Remove(block, isRemote: block.NodeIndex != current);
            }
        }

        if (block is null)
        {
            throw whyNot!;
        }

        Release(block);
    }

    private void Release(CheckedBlock block)
    {
        var damage = block.FindOverrun();
        if (block.Run is null)
        {
            FreeForGood(block);
        }
        else
        {
            block.Poison();
            Hold(block);
        }

        if (damage is not null)
        {
            throw MemoryModes.Wrong(damage);
        }
    }

    // Checked here, too: code that resizes a block would otherwise learn of an overrun only when it has two blocks.
    public override nuint UsableSizeOf(nint address)
    {
        CheckedBlock? block;
        InvalidOperationException? whyNot;
        string? damage;
        lock (_lock)
        {
            block = FindInUse(address, out whyNot);
            damage = block?.FindOverrun();
        }

        return block is null ? throw whyNot!
            : damage is not null ? throw MemoryModes.Wrong(damage)
            : block.Size;
    }

    public override NumaAllocatorStatistics Correct(int nodeIndex, NumaAllocatorStatistics statistics)
    {
        lock (_lock)
        {
            return _counts.Correct(nodeIndex, statistics);
        }
    }

    private CheckedBlock Take(int nodeIndex, nuint size, nuint alignment, AllocationSite? site)
    {
        var front = Math.Max(alignment, CheckedBlock.LeastMargin);
        var isSmall = Math.Max(size, front) <= SizeClasses.Largest
            && size + front + CheckedBlock.LeastMargin <= SizeClasses.Largest;
        if (isSmall)
        {
            var start = Allocator.AllocateUnguarded(nodeIndex, size + front + CheckedBlock.LeastMargin, alignment);
            var run = Allocator.FindRun(start)!;
            return new CheckedBlock(start, run, (nuint)run.Central.BlockSize, front, size)
            {
                NodeIndex = nodeIndex,
                AllocatedAt = site,
            };
        }

        // Even when the size alone would fit: a large block has pages without access around it.
        var large = Allocator.AllocateLargeUnguarded(nodeIndex, size, alignment);
        return new CheckedBlock(large.Address, null, large.Length, 0, size) { NodeIndex = nodeIndex, AllocatedAt = site };
    }

    // Under the lock.
    private CheckedBlock? FindInUse(nint address, out InvalidOperationException? whyNot)
    {
        if (!_blocks.TryGetValue(address, out var block))
        {
            var around = _blocks.Values.FirstOrDefault(other => other.Contains(address));
            whyNot = around is null
                ? NumaAllocator.NotABlock(address)
                : MemoryModes.Wrong($"0x{address:x} is {address - around.Address} bytes inside {around}.");
            return null;
        }

        if (block.State != CheckedState.InUse)
        {
            whyNot = MemoryModes.Wrong($"0x{address:x} was already freed: it was {block}.");
            return null;
        }

        whyNot = null;
        return block;
    }
}
