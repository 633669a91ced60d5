using System.Collections.Concurrent;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Memory of another provider with a page without access before and behind every reservation: an overrun of its end faults
/// instead of reaching other data.
/// </summary>
internal sealed class GuardPageMemory(INumaMemoryProvider inner) : INumaMemoryProvider
{
    private static readonly NumaResult s_tooLarge = new(NumaFailure.OutOfMemory, 0, "no address space is that large");

    private readonly ConcurrentDictionary<nint, (nint Start, nuint Size)> _reserved = [];

    public string Name => inner.Name;

    public nuint PageSize => inner.PageSize;

    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        var before = Math.Max(alignment, PageSize);
        var total = size + before + PageSize;
        if (total < size)
        {
            return s_tooLarge;
        }

        var result = inner.Reserve(total, alignment, out var start);
        if (result.Succeeded)
        {
            address = start + (nint)before;
            _reserved[address] = (start, total);
        }

        return result;
    }

    public NumaResult Commit(nint address, nuint size) => inner.Commit(address, size);

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => inner.Bind(address, size, placement);

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => inner.Advise(address, size, advice);

    // Removed first: once it is released, another thread may be given the same address.
    public NumaResult Release(nint address, nuint size)
    {
        if (!_reserved.TryRemove(address, out var whole))
        {
            return inner.Release(address, size);
        }

        var result = inner.Release(whole.Start, whole.Size);
        if (!result.Succeeded)
        {
            _reserved[address] = whole;
        }

        return result;
    }

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => inner.QueryNode(address, out nodeId);
}
