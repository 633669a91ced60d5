namespace NumaSharp.Core.Memory;

/// <summary>
/// Free blocks of a slab, out of circulation while their old pages are exchanged for new ones. Only whole pages between blocks in
/// use can be: a page that such a block shares with its neighbours stays until it is free.
/// </summary>
internal sealed class SlabRenewal
{
    // The most that one system call gives up.
    private const nuint MostBytes = 1 << 20;

    private readonly PoolSlab _slab;
    private readonly NodeMemory _memory;
    private readonly PoolChecks? _checks;
    private HashSet<NumaMemoryBlock>? _lost;

    public SlabRenewal(PoolSlab slab, NumaMemoryBlock[] blocks, NodeMemory memory, PoolChecks? checks)
    {
        _slab = slab;
        _memory = memory;
        _checks = checks;
        Blocks = blocks;
    }

    /// <summary>The blocks; the highest address first once it has run, so that the lowest is on top of a stack.</summary>
    public NumaMemoryBlock[] Blocks { get; }

    /// <summary>Whether the system gives up no page before the whole slab.</summary>
    public bool IsImpossible { get; private set; }

    /// <summary>Whether a block has no memory any more: the system has taken its pages, and gave no others.</summary>
    public bool IsLost(NumaMemoryBlock block) => _lost?.Contains(block) == true;

    public void Run(nuint stride)
    {
        Array.Sort(Blocks, static (x, y) => y.Address.CompareTo(x.Address));
        for (var (first, next) = (0, 0); first < Blocks.Length && !IsImpossible; first = next)
        {
            for (next = first + 1; next < Blocks.Length && PlaceOf(next) + (nint)stride == PlaceOf(next - 1);)
            {
                next++;
            }

            RenewRun(Blocks.AsSpan(first..next), stride);
        }
    }

    private nint PlaceOf(int index) => _slab.PlaceOf(Blocks[index]);

    // Blocks side by side, the highest first.
    private void RenewRun(ReadOnlySpan<NumaMemoryBlock> run, nuint stride)
    {
        var (start, end) = (_slab.PlaceOf(run[^1]), _slab.PlaceOf(run[0]) + (nint)stride);
        var isForgotten = false;
        foreach (var (from, bytes) in _slab.OldRanges(start, end, MostBytes))
        {
            if (!isForgotten)
            {
                // Before their content goes, which the checks compare with.
                _checks?.Forget(start, (nuint)(end - start));
                isForgotten = true;
            }

            if (!TryRenew(run, from, bytes, stride))
            {
                _slab.KeepOldPages();
                IsImpossible = true;
                return;
            }
        }
    }

    private bool TryRenew(ReadOnlySpan<NumaMemoryBlock> run, nint from, nuint bytes, nuint stride)
    {
        var result = RenewalResult.Lost;
        try
        {
            result = _memory.Renew(from, bytes);
        }
        finally
        {
            if (result == RenewalResult.Lost)
            {
                Lose(run, from, bytes, stride);
            }
        }

        if (result == RenewalResult.Kept)
        {
            return false;
        }

        _slab.RemoveOldPages(from, bytes);
        return true;
    }

    private void Lose(ReadOnlySpan<NumaMemoryBlock> run, nint from, nuint bytes, nuint stride)
    {
        _slab.LosePages(bytes);
        _lost ??= [];
        foreach (var block in run)
        {
            var place = _slab.PlaceOf(block);
            if (place < from + (nint)bytes && place + (nint)stride > from)
            {
                _lost.Add(block);
            }
        }
    }
}
