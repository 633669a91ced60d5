using NumaSharp.Core;

namespace NumaSharp.Plugins.HugePages.Memory;

/// <summary>A reservation, and where its parts were bound: a part that falls back to ordinary pages is bound anew.</summary>
internal sealed class HugeReservation(nint start, nuint size)
{
    private readonly List<(nint Start, nint End, NumaPlacement Placement)> _placements = [];

    private readonly Lock _lock = new();

    // By node, under the lock. Ordinary pages stay in it until it is released, and so do these.
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

    /// <summary>A part has ordinary pages: this holds until <see cref="EndFallbacks"/>.</summary>
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

    /// <summary>It has been released.</summary>
    public void EndFallbacks()
    {
        lock (_lock)
        {
            _fallbacks.ForEach(static held => held.Holder.Dispose());
            _fallbacks.Clear();
        }
    }

    /// <summary>The bound parts of a range, oldest first: later ones lie over earlier ones.</summary>
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
