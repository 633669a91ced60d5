namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The mode for development: every block has a record outside it and margins around it, and freed blocks wait before they are
/// used again. The lock is taken last.
/// </summary>
internal sealed unsafe class BlockChecks(NumaAllocator allocator, AllocationSites sites, NumaFallbacks fallbacks)
    : BlockGuard(allocator)
{
    private const int MostHeld = 1024;
    private const long MostHeldBytes = 16L << 20;
    private const int MostRemembered = 64 * 1024;

    // Nothing foreign runs under it: records are looked up, and the memory of blocks is compared, which must stay meanwhile.
    // Exceptions are thrown after it: the application's exception filters run before an exception leaves a lock.
    private readonly Lock _lock = new();

    // By the user's address: blocks in use, and recently freed ones.
    private readonly Dictionary<nint, CheckedBlock> _blocks = [];
    private readonly CheckedCounts _counts = new();

    private readonly Queue<CheckedBlock> _held = new();
    private readonly Queue<CheckedBlock> _remembered = new();

    // By the allocator's address: the last block there, until its run is given to another size.
    private readonly Dictionary<nint, CheckedBlock> _former = [];
    private readonly List<string> _findings = [];
    private long _heldBytes;
    private bool _closed;

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
            throw MemoryModes.Misuse(damage);
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
            : damage is not null ? throw MemoryModes.Misuse(damage)
            : block.Size;
    }

    public override NumaAllocatorStatistics Correct(int nodeIndex, NumaAllocatorStatistics statistics)
    {
        lock (_lock)
        {
            return _counts.Correct(nodeIndex, statistics);
        }
    }

    public override void ReleaseHeld() => ReleaseHeld(0, 0);

    public override void Close()
    {
        lock (_lock)
        {
            _closed = true;
        }

        ReleaseHeld();
    }

    public override void Verify()
    {
        ThrowFindings();
        var damage = FindDamage();
        if (damage.Count > 0)
        {
            throw MemoryModes.Misuse(MemoryModes.Join(damage));
        }
    }

    public override void ReportAtEnd()
    {
        var damage = FindDamage();
        lock (_lock)
        {
            damage.AddRange(_findings);
            _findings.Clear();
        }

        if (damage.Count > 0)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryDamage,
                $"Memory of the allocator outside its blocks in use was overwritten in {damage.Count} places: "
                + MemoryModes.Join(damage)));
        }

        var live = GetLiveBlocks();
        if (live.Count > 0)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryLeak,
                $"The allocator was disposed with {MemoryModes.Describe(live)}"));
        }
    }

    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks()
    {
        CheckedBlock[] live;
        lock (_lock)
        {
            live = [.. _blocks.Values.Where(static block => block.State == CheckedState.InUse)];
        }

        return MemoryModes.ByPlace(live.Select(block =>
            (block.AllocatedAt, Allocator.NodeIdOf(block.NodeIndex), (long)block.Size)));
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
            throw MemoryModes.Misuse(damage);
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
                : MemoryModes.Misuse($"0x{address:x} is {address - around.Address} bytes inside {around}.");
            return null;
        }

        if (block.State != CheckedState.InUse)
        {
            whyNot = MemoryModes.Misuse($"0x{address:x} was already freed: it was {block}.");
            return null;
        }

        whyNot = null;
        return block;
    }

    private void Hold(CheckedBlock block)
    {
        bool isHeld;
        lock (_lock)
        {
            isHeld = !_closed;
            if (isHeld)
            {
                block.State = CheckedState.Held;
                _held.Enqueue(block);
                _heldBytes += (long)block.Size;
            }
        }

        if (isHeld)
        {
            ReleaseHeld(MostHeld, MostHeldBytes);
        }
        else
        {
            FreeForGood(block);
        }
    }

    private void ReleaseHeld(int mostHeld, long mostBytes)
    {
        while (TakeHeld(mostHeld, mostBytes) is { } block)
        {
            if (block.FindWriteAfterFree() is { } damage)
            {
                // Reported once.
                block.Run = null;
                lock (_lock)
                {
                    _findings.Add(damage);
                }
            }

            FreeForGood(block);
        }
    }

    private CheckedBlock? TakeHeld(int mostHeld, long mostBytes)
    {
        lock (_lock)
        {
            if (_held.Count == 0 || (_held.Count <= mostHeld && _heldBytes <= mostBytes))
            {
                return null;
            }

            var block = _held.Dequeue();
            block.State = CheckedState.Leaving;
            _heldBytes -= (long)block.Size;
            return block;
        }
    }

    // Remembered before it is freed: from then on another thread may get it.
    private void FreeForGood(CheckedBlock block)
    {
        lock (_lock)
        {
            block.State = CheckedState.Free;
            _former[block.Start] = block;
            _remembered.Enqueue(block);
            if (_remembered.Count > MostRemembered)
            {
                Forget(_remembered.Dequeue());
            }
        }

        Allocator.FreeUnguarded(block.Start);
    }

    /// <summary>The block that was where a new one is, if its memory has not been used since.</summary>
    private CheckedBlock? TakeFormer(CheckedBlock block)
    {
        lock (_lock)
        {
            if (!_former.TryGetValue(block.Start, out var former))
            {
                return null;
            }

            Forget(former);
            return former.Run is not null && former.Run == block.Run ? former : null;
        }
    }

    private void Forget(CheckedBlock block)
    {
        if (_former.GetValueOrDefault(block.Start) == block)
        {
            _former.Remove(block.Start);
        }

        if (_blocks.GetValueOrDefault(block.Address) == block)
        {
            _blocks.Remove(block.Address);
        }
    }

    private void ThrowFindings()
    {
        string text;
        lock (_lock)
        {
            if (_findings.Count == 0)
            {
                return;
            }

            text = string.Join(' ', _findings);
            _findings.Clear();
        }

        throw MemoryModes.Misuse(text);
    }

    // Blocks in use stay so while the lock is held: their memory is there.
    private List<string> FindDamage()
    {
        lock (_lock)
        {
            return
            [
                .. _blocks.Values
                    .Select(static block => block.State switch
                    {
                        CheckedState.InUse => block.FindOverrun(),
                        CheckedState.Held => block.FindWriteAfterFree(),
                        _ => null,
                    })
                    .OfType<string>(),
            ];
        }
    }
}

/// <summary>Per node, the blocks that users of the checked mode have: waiting blocks and margins do not count.</summary>
internal sealed class CheckedCounts
{
    private readonly Dictionary<int, NumaAllocatorStatistics> _nodes = [];

    public void Add(CheckedBlock block) => Change(block, 1, 0);

    public void Remove(CheckedBlock block, bool isRemote) => Change(block, -1, isRemote ? 1 : 0);

    public NumaAllocatorStatistics Correct(int nodeIndex, NumaAllocatorStatistics statistics)
    {
        var counts = _nodes.GetValueOrDefault(nodeIndex);
        return statistics with
        {
            AllocatedBytes = counts.AllocatedBytes,
            AllocatedBlocks = counts.AllocatedBlocks,
            RemoteFrees = counts.RemoteFrees,
        };
    }

    private void Change(CheckedBlock block, int blocks, int remoteFrees)
    {
        var counts = _nodes.GetValueOrDefault(block.NodeIndex);
        _nodes[block.NodeIndex] = counts with
        {
            AllocatedBytes = counts.AllocatedBytes + (blocks * (long)block.Size),
            AllocatedBlocks = counts.AllocatedBlocks + blocks,
            RemoteFrees = counts.RemoteFrees + remoteFrees,
        };
    }
}

/// <summary>
/// A block of the checked mode: [front | requested bytes | behind], front and behind filled with one byte value. A large block
/// has a page without access instead of a front.
/// </summary>
internal sealed unsafe class CheckedBlock
{
    public const int LeastMargin = 16;

    private const int MostMargin = 4096;

    private readonly nint _end;

    /// <param name="start">The start of the allocator's block.</param>
    /// <param name="run">Where it is; <see langword="null"/> for a mapping of its own.</param>
    /// <param name="length">Bytes that the allocator gave.</param>
    /// <param name="front">How many of them are in front.</param>
    /// <param name="size">Bytes that were requested.</param>
    public CheckedBlock(nint start, AllocatorRun? run, nuint length, nuint front, nuint size)
    {
        Start = start;
        Run = run;
        Address = start + (nint)front;
        Size = size;
        _end = start + (nint)length;
    }

    public nint Start { get; }

    public nint Address { get; }

    public nuint Size { get; }

    public required int NodeIndex { get; init; }

    public required AllocationSite? AllocatedAt { get; init; }

    public AllocationSite? FreedAt { get; set; }

    public CheckedState State { get; set; }

    /// <summary>The run that still holds what the free wrote; <see langword="null"/> when that is not known.</summary>
    public AllocatorRun? Run { get; set; }

    private Span<byte> Front => new((void*)Math.Max(Start, Address - MostMargin), (int)Math.Min(Address - Start, MostMargin));

    private Span<byte> Behind => new((byte*)Address + Size, (int)Math.Min(_end - Address - (nint)Size, MostMargin));

    public void Prepare()
    {
        Front.Fill(GuardBytes.Margin);
        Behind.Fill(GuardBytes.Margin);
        if (Run is not null)
        {
            Content().Fill(GuardBytes.New);
        }
    }

    public void Poison() => Content().Fill(GuardBytes.Freed);

    public bool Contains(nint address) => (nuint)(address - Address) < Size;

    /// <summary>Describes writes before and behind a block in use; <see langword="null"/> for none.</summary>
    public string? FindOverrun()
    {
        var before = Front.IndexOfAnyExcept(GuardBytes.Margin) is >= 0 and var first ? Front.Length - first : 0;
        var behind = Behind.LastIndexOfAnyExcept(GuardBytes.Margin) + 1;
        return (before, behind) switch
        {
            (0, 0) => null,
            (_, 0) => $"The {before} bytes before {this} were overwritten.",
            (0, _) => $"The {behind} bytes behind {this} were overwritten.",
            _ => $"The {before} bytes before and the {behind} bytes behind {this} were overwritten.",
        };
    }

    /// <summary>Describes a write into the block after it was freed; <see langword="null"/> for none.</summary>
    public string? FindWriteAfterFree() => Content().IndexOfAnyExcept(GuardBytes.Freed) is >= 0 and var first
        ? $"{this} was written to at offset {first} after it had been freed."
        : null;

    public override string ToString()
    {
        var text = $"the block of {Size} bytes at 0x{Address:x}, allocated{AllocationSite.At(AllocatedAt)}";
        return State == CheckedState.InUse ? text : $"{text} and freed{AllocationSite.At(FreedAt)}";
    }

    // Small: a block in a run.
    private Span<byte> Content() => new((void*)Address, (int)Size);
}

/// <summary>The owner of a checked block.</summary>
internal enum CheckedState
{
    /// <summary>The user of the allocator.</summary>
    InUse,

    /// <summary>The thread that frees it, or that frees it for good.</summary>
    Leaving,

    /// <summary>No owner yet: it waits so that a write after the free is found.</summary>
    Held,

    /// <summary>The allocator; it may have handed it out again.</summary>
    Free,
}
