using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Interop;

namespace NumaSharp.Plugins.HugePages;

/// <summary>
/// Memory in huge pages from the nodes' pools (hugetlbpage.rst). If a pool has no page left, or the system none of this size, the
/// memory is ordinary, with transparent huge pages where the kernel provides them; this is reported once per node. Thread-safe;
/// Linux only.
/// </summary>
/// <remarks>
/// Pages are allocated on commit, never by a touch: a touch without a page in the pool is a SIGBUS, whatever was reserved,
/// because reservations are not per node. Needs Linux 5.14; on older kernels all memory is ordinary.
/// </remarks>
public sealed class HugePageMemoryProvider : INumaMemoryProvider
{
    /// <summary>The name of the provider with pages of 2 MiB.</summary>
    internal const string ProviderName = "HugePages";

    /// <summary>The name of the provider with pages of 1 GiB.</summary>
    internal const string GigabyteProviderName = "HugePages1GiB";

    private const nuint MiB = 1 << 20;
    private const nuint GiB = 1 << 30;

    private readonly LinuxMemoryProvider _ordinary = new();
    private readonly NumaFallbacks _fallbacks;

    // Guards the list and its reservations; never held during a system call: clearing a page of 1 GiB takes long.
    private readonly Lock _lock = new();
    private readonly SortedList<nint, HugeReservation> _reservations = [];
    private IDisposable? _noAddressSpace;

    private HugePageMemoryProvider(string name, nuint pageSize, NumaFallbacks fallbacks)
    {
        Name = name;
        PageSize = pageSize;
        _fallbacks = fallbacks;
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <inheritdoc/>
    public nuint PageSize { get; }

    /// <summary>Creates a provider with pages of 2 MiB.</summary>
    /// <param name="fallbacks">Receives fallbacks to ordinary memory; <see langword="null"/> for those of the pools.</param>
    /// <returns>The provider.</returns>
    public static HugePageMemoryProvider Create2MiB(NumaFallbacks? fallbacks = null) =>
        new(ProviderName, 2 * MiB, fallbacks ?? NumaMemoryPool.DefaultFallbacks);

    /// <summary>Creates a provider with pages of 1 GiB.</summary>
    /// <param name="fallbacks">Receives fallbacks to ordinary memory; <see langword="null"/> for those of the pools.</param>
    /// <returns>The provider.</returns>
    public static HugePageMemoryProvider Create1GiB(NumaFallbacks? fallbacks = null) =>
        new(GigabyteProviderName, GiB, fallbacks ?? NumaMemoryPool.DefaultFallbacks);

    /// <inheritdoc/>
    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        var result = HugeMapping.Reserve(size, Math.Max(alignment, PageSize), PageSize, out address);
        if (result.Succeeded)
        {
            lock (_lock)
            {
                _reservations.Add(address, new HugeReservation(address, size));
            }

            Interlocked.Exchange(ref _noAddressSpace, null)?.Dispose();
            return NumaResult.Success;
        }

        var held = _fallbacks.Hold(
            FallbackOf($"no address space for them ({result.ErrorName})", nodeId: null));
        Interlocked.Exchange(ref _noAddressSpace, held)?.Dispose();
        var ordinary = _ordinary.Reserve(size, Math.Max(alignment, PageSize), out address);
        if (ordinary.Succeeded)
        {
            AdviseTransparent(address, size);
        }

        return ordinary;
    }

    /// <inheritdoc/>
    public NumaResult Commit(nint address, nuint size)
    {
        if (Find(address, size) is not { } reservation)
        {
            return _ordinary.Commit(address, size);
        }

        var result = Native.Protect(address, size, Native.PROT_READ | Native.PROT_WRITE);
        if (result.Succeeded)
        {
            result = HugePageCalls.Populate(address, size);
        }

        return result.Succeeded ? NumaResult.Success : UseOrdinaryPages(reservation, address, size, result);
    }

    /// <inheritdoc/>
    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        ArgumentNullException.ThrowIfNull(placement);
        if (Find(address, size) is not { } reservation)
        {
            return _ordinary.Bind(address, size, placement);
        }

        // An ordinary page of the node is nearer than a huge page of another node, which a preference would allow.
        var strict = placement.Kind == NumaPlacementKind.Preferred
            ? placement with { Kind = NumaPlacementKind.Bound, Nodes = HomeOf(placement) }
            : placement;
        var result = _ordinary.Bind(address, size, strict);
        if (!result.Succeeded)
        {
            return result;
        }

        (nint Start, nuint Size)[] ordinary;
        lock (_lock)
        {
            reservation.Bind(address, size, placement);
            ordinary = [.. reservation.OrdinaryPartsOf(address, size)];
        }

        // Ordinary pages are taken when they are touched: where the node is full then, from another one.
        foreach (var part in ReferenceEquals(strict, placement) ? [] : ordinary)
        {
            result = _ordinary.Bind(part.Start, part.Size, placement);
            if (!result.Succeeded)
            {
                break;
            }
        }

        return result;
    }

    /// <summary>Gives a hint. Huge pages are kept until their reservation is released: a later touch could find none.</summary>
    /// <param name="address">The start.</param>
    /// <param name="size">The size in bytes.</param>
    /// <param name="advice">The hint.</param>
    /// <returns>Success, or <see cref="NumaFailure.NotSupported"/> for other hints than huge pages on such memory.</returns>
    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) =>
        Find(address, size) is null ? _ordinary.Advise(address, size, advice)
            : advice == NumaMemoryAdvice.HugePages ? NumaResult.Success
            : new NumaResult(NumaFailure.NotSupported, Errno.EOPNOTSUPP, nameof(Errno.EOPNOTSUPP));

    /// <inheritdoc/>
    public NumaResult Release(nint address, nuint size)
    {
        // Removed before it is unmapped: afterwards the kernel may reuse the address for another reservation.
        HugeReservation? reservation;
        lock (_lock)
        {
            _reservations.Remove(address, out reservation);
        }

        var result = _ordinary.Release(address, size);
        if (reservation is null)
        {
            return result;
        }

        if (result.Succeeded)
        {
            reservation.EndFallbacks();
        }
        else
        {
            lock (_lock)
            {
                _reservations.Add(address, reservation);
            }
        }

        return result;
    }

    /// <inheritdoc/>
    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => _ordinary.QueryNode(address, out nodeId);

    private static CpuSet HomeOf(NumaPlacement placement) =>
        placement.HomeNodeId is { } home ? CpuSet.FromIds(home.Value) : placement.Nodes;

    private NumaResult UseOrdinaryPages(HugeReservation reservation, nint address, nuint size, SysResult why)
    {
        (nint Start, nuint Size, NumaPlacement Placement)[] placements;
        lock (_lock)
        {
            reservation.AddOrdinary(address, size);
            placements = [.. reservation.PlacementsOf(address, size)];
        }

        NumaNodeId? node = placements.Length > 0 ? new NumaNodeId(HomeOf(placements[^1].Placement).First) : null;
        reservation.Report(_fallbacks, FallbackOf(
            why.Errno == Errno.EINVAL
                ? "they need Linux 5.14 or later"
                : $"the node's pool has none left ({why.ErrorName})",
            node));
        var mapped = HugePageCalls.MmapOrdinaryAt(address, size);
        if (!mapped.Succeeded)
        {
            return new NumaResult(NumaFailure.OutOfMemory, mapped.Errno, mapped.ErrorName);
        }

        foreach (var part in placements)
        {
            var bound = _ordinary.Bind(part.Start, part.Size, part.Placement);
            if (!bound.Succeeded)
            {
                return bound;
            }
        }

        AdviseTransparent(address, size);
        return NumaResult.Success;
    }

    // If the kernel has none (EINVAL), ordinary pages remain.
    private void AdviseTransparent(nint address, nuint size) => _ordinary.Advise(address, size, NumaMemoryAdvice.HugePages);

    private NumaFallback FallbackOf(string why, NumaNodeId? nodeId) => new(
        FallbackCatalog.MemoryHugePages,
        $"Memory{(nodeId is { } node ? $" of node {node}" : "")} is not in huge pages of {PageSize / MiB} MiB: {why}. "
        + "Ordinary pages are used, transparent huge pages where the kernel provides them.",
        nodeId);

    private HugeReservation? Find(nint address, nuint size)
    {
        lock (_lock)
        {
            return _reservations.Values.LastOrDefault(reservation => reservation.Start <= address) is { } found
                && found.Contains(address, size)
                ? found
                : null;
        }
    }
}

/// <summary>A reservation, and the placements of its parts: a part that falls back to ordinary pages is bound again.</summary>
internal sealed class HugeReservation(nint start, nuint size)
{
    private readonly List<(nint Start, nint End, NumaPlacement Placement)> _placements = [];

    // With nothing but their place.
    private readonly List<(nint Start, nint End, ValueTuple Nothing)> _ordinary = [];

    private readonly Lock _lock = new();

    // By node, under the lock. Ordinary pages stay until the reservation is released, and so do these fallbacks.
    private readonly List<(NumaNodeId? NodeId, IDisposable Holder)> _fallbacks = [];

    public nint Start { get; } = start;

    public nuint Size { get; } = size;

    public bool Contains(nint address, nuint length) =>
        address >= Start && (nuint)(address - Start) <= Size && length <= Size - (nuint)(address - Start);

    public void Bind(nint address, nuint length, NumaPlacement placement)
    {
        var end = address + (nint)length;
        _placements.RemoveAll(part => part.Start >= address && part.End <= end);

        Add(_placements, address, end, placement);
    }

    /// <summary>Reports that a part has ordinary pages, until <see cref="EndFallbacks"/>.</summary>
    public void Report(NumaFallbacks fallbacks, NumaFallback fallback)
    {
        lock (_lock)
        {
            if (_fallbacks.Exists(held => held.NodeId == fallback.NodeId))
            {
                fallbacks.Report(fallback);
            }
            else
            {
                _fallbacks.Add((fallback.NodeId, fallbacks.Hold(fallback)));
            }
        }
    }

    /// <summary>The reservation has been released.</summary>
    public void EndFallbacks()
    {
        lock (_lock)
        {
            _fallbacks.ForEach(static held => held.Holder.Dispose());
            _fallbacks.Clear();
        }
    }

    /// <summary>A part has ordinary pages, or gets them next; until the reservation is released.</summary>
    public void AddOrdinary(nint address, nuint length) => Add(_ordinary, address, address + (nint)length, default);

    /// <summary>The parts of a range that have ordinary pages.</summary>
    public IEnumerable<(nint Start, nuint Size)> OrdinaryPartsOf(nint address, nuint length) =>
        PartsOf(_ordinary, address, length).Select(static part => (part.Start, part.Size));

    /// <summary>The bound parts of a range, oldest first: later ones override earlier ones.</summary>
    public IEnumerable<(nint Start, nuint Size, NumaPlacement Placement)> PlacementsOf(nint address, nuint length) =>
        PartsOf(_placements, address, length);

    // The allocator gets its range part by part, each next to the one before.
    private static void Add<T>(List<(nint Start, nint End, T Value)> parts, nint address, nint end, T value)
        where T : IEquatable<T>
    {
        if (parts is [.., var last] && last.End == address && last.Value.Equals(value))
        {
            parts[^1] = last with { End = end };
        }
        else
        {
            parts.Add((address, end, value));
        }
    }

    private static IEnumerable<(nint Start, nuint Size, T Value)> PartsOf<T>(
        List<(nint Start, nint End, T Value)> parts, nint address, nuint length)
    {
        var end = address + (nint)length;
        foreach (var part in parts.Where(part => part.Start < end && part.End > address))
        {
            var (from, to) = (nint.Max(part.Start, address), nint.Min(part.End, end));
            yield return (from, (nuint)(to - from), part.Value);
        }
    }
}

/// <summary>Address space for huge pages.</summary>
internal static class HugeMapping
{
    /// <summary>Reserves address space without allocating pages.</summary>
    public static SysResult Reserve(nuint size, nuint alignment, nuint pageSize, out nint address)
    {
        address = 0;
        var length = size + (alignment - pageSize);
        if (length < size || size % pageSize != 0)
        {
            return SysResult.FromErrno(Errno.EINVAL);
        }

        var result = HugePageCalls.MmapHuge(length, pageSize);
        if (!result.Succeeded)
        {
            return result;
        }

        var start = result.Value;
        var aligned = (nint)(((nuint)start + alignment - 1) & ~(alignment - 1));
        result = Native.UnmapAround(start, length, aligned, size);
        if (result.Succeeded)
        {
            result = HugePageCalls.KeepFromChildren(aligned, size);
        }

        if (!result.Succeeded)
        {
            Native.Unmap(start, length);
            return result;
        }

        address = aligned;
        return result;
    }
}
