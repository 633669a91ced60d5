using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Plugins.HugePages;

/// <summary>A reservation, and the placements of its parts: a part that falls back to ordinary pages is bound again.</summary>
internal sealed class HugeReservation(nint start, nuint size)
{
    private readonly List<(nint Start, nint End, NumaPlacement Placement)> _placements = [];

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
        _placements.Add((address, end, placement));
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

    /// <summary>The bound parts of a range, oldest first: later ones override earlier ones.</summary>
    public IEnumerable<(nint Start, nuint Size, NumaPlacement Placement)> PlacementsOf(nint address, nuint length)
    {
        var end = address + (nint)length;
        foreach (var part in _placements.Where(part => part.Start < end && part.End > address))
        {
            var (from, to) = (nint.Max(part.Start, address), nint.Min(part.End, end));
            yield return (from, (nuint)(to - from), part.Placement);
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
