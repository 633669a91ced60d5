using System.Runtime.CompilerServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// The mode for development of a pool: records where blocks are rented, and checks them when they come and go. All under one
/// lock, which is taken last.
/// </summary>
internal sealed unsafe class PoolChecks(NumaMemoryPool pool, int traceEvery, NumaFallbacks fallbacks)
{
    private readonly Lock _lock = new();
    private readonly AllocationSites _sites = new(traceEvery);

    // By address: blocks in use, and free ones that are full of one byte since their last rent.
    private readonly Dictionary<nint, PoolRent> _rented = [];
    private readonly Dictionary<nint, PoolRent> _returned = [];

    // Owners of ended rents, as long as something refers to them.
    private readonly ConditionalWeakTable<NumaMemoryBlock, PoolRent> _over = [];

    /// <returns>The write found in the free block, which is not rented then; <see langword="null"/> for none.</returns>
    public string? OnRented(NumaMemoryBlock block)
    {
        var site = _sites.Capture();
        lock (_lock)
        {
            if (_returned.Remove(block.Address, out var former) && FindWriteAfterReturn(block.Address, former) is { } damage)
            {
                return damage;
            }

            if (!block.IsDedicated)
            {
                ContentOf(block.Address, block.Length).Fill(GuardBytes.New);
            }

            MarginOf(block).Fill(GuardBytes.Margin);
            _rented[block.Address] = new PoolRent(block, site);
            return null;
        }
    }

    /// <returns>The overrun behind the block, which is still returned; <see langword="null"/> for none.</returns>
    public string? OnReturned(NumaMemoryBlock block)
    {
        var site = _sites.Capture();
        lock (_lock)
        {
            var rent = End(block, site, out var damage);
            _over.Add(block, rent);
            return damage;
        }
    }

    /// <summary>The pool takes back an abandoned block. An overrun behind it is reported.</summary>
    /// <returns>
    /// The rent as it was; <see langword="null"/> where memory ran out on the block's way to its user, or back.
    /// </returns>
    public string? OnAbandoned(NumaMemoryBlock block)
    {
        lock (_lock)
        {
            if (!_rented.TryGetValue(block.Address, out var rent))
            {
                return null;
            }

            var text = rent.ToString();
            End(block, site: null, out var damage);
            if (damage is not null)
            {
                fallbacks.Report(new NumaFallback(FallbackCatalog.MemoryDamage, $"In the {pool} {damage}", pool.NodeId));
            }

            return text;
        }
    }

    /// <summary>Forgets the blocks in memory that is about to be released.</summary>
    public void Forget(nint address, nuint size)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            foreach (var each in _returned.Keys)
            {
                if ((nuint)(each - address) < size)
                {
                    _returned.Remove(each);
                }
            }
        }
    }

    /// <summary>Where an owner was rented and returned, for a message.</summary>
    public string WhereReturned(NumaMemoryBlock block) =>
        _over.TryGetValue(block, out var rent) ? $" It is {rent}." : string.Empty;

    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks()
    {
        PoolRent[] live;
        lock (_lock)
        {
            live = [.. _rented.Values];
        }

        return MemoryModes.ByPlace(live.Select(rent => (rent.RentedAt, pool.NodeId, (long)rent.Length)));
    }

    public void Verify()
    {
        var damage = FindDamage();
        if (damage.Length > 0)
        {
            throw MemoryModes.Misuse(MemoryModes.Join(damage));
        }
    }

    /// <param name="damage">What <see cref="FindDamage"/> found before memory was released.</param>
    public void ReportAtEnd(string[] damage)
    {
        if (damage.Length > 0)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryDamage,
                $"Free memory of the {pool} was overwritten in {damage.Length} places: "
                + MemoryModes.Join(damage),
                pool.NodeId));
        }

        var live = GetLiveBlocks();
        if (live.Count > 0)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryLeak,
                $"The {pool} was disposed with {MemoryModes.Describe(live)}",
                pool.NodeId));
        }
    }

    // What is free stays mapped while the lock is held: it is forgotten before it is released.
    public string[] FindDamage()
    {
        lock (_lock)
        {
            return [.. _returned.Select(static each => FindWriteAfterReturn(each.Key, each.Value)).OfType<string>()];
        }
    }

    private PoolRent End(NumaMemoryBlock block, AllocationSite? site, out string? damage)
    {
        _rented.Remove(block.Address, out var rent);
        damage = FindOverrun(block, rent!);
        rent!.End(site);
        if (!block.IsDedicated)
        {
            ContentOf(block.Address, block.Length).Fill(GuardBytes.Freed);
            _returned[block.Address] = rent;
        }

        return rent;
    }

    private static string? FindWriteAfterReturn(nint address, PoolRent former) =>
        ContentOf(address, former.Length).IndexOfAnyExcept(GuardBytes.Freed) is >= 0 and var first
            ? $"{former} was written to at offset {first} after it had been returned."
            : null;

    private static string? FindOverrun(NumaMemoryBlock block, PoolRent rent) =>
        MarginOf(block).LastIndexOfAnyExcept(GuardBytes.Margin) is >= 0 and var last
            ? $"the {last + 1} bytes behind {rent} were overwritten."
            : null;

    private static Span<byte> ContentOf(nint address, int length) => new((void*)address, length);

    private static Span<byte> MarginOf(NumaMemoryBlock block) =>
        new((byte*)block.Address + block.Length, block.IsDedicated ? 0 : PoolSizeClass.CacheLine);
}

/// <summary>What the checked mode knows of one rent of a block.</summary>
internal sealed class PoolRent(NumaMemoryBlock block, AllocationSite? rentedAt)
{
    private readonly nint _address = block.Address;

    public int Length { get; } = block.Length;

    public AllocationSite? RentedAt => rentedAt;

    public AllocationSite? ReturnedAt { get; private set; }

    public bool IsOver { get; private set; }

    public void End(AllocationSite? site) => (IsOver, ReturnedAt) = (true, site);

    public override string ToString()
    {
        var text = $"the block of {Length} bytes at 0x{_address:x}, rented{AllocationSite.At(rentedAt)}";
        return IsOver ? $"{text} and returned{AllocationSite.At(ReturnedAt)}" : text;
    }
}
