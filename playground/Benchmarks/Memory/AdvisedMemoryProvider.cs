using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>A provider whose memory has one kind of pages, whatever it is advised to have.</summary>
internal sealed class AdvisedMemoryProvider(INumaMemoryProvider inner, NumaMemoryAdvice pages) : INumaMemoryProvider
{
    public string Name => $"{inner.Name} with {pages}";

    public nuint PageSize => inner.PageSize;

    public NumaResult Reserve(nuint size, nuint alignment, out nint address) => inner.Reserve(size, alignment, out address);

    public NumaResult Commit(nint address, nuint size)
    {
        var committed = inner.Commit(address, size);
        return committed.Succeeded ? inner.Advise(address, size, pages) : committed;
    }

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => inner.Bind(address, size, placement);

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) =>
        inner.Advise(address, size, advice is NumaMemoryAdvice.Discard or NumaMemoryAdvice.Reset ? advice : pages);

    public NumaResult Release(nint address, nuint size) => inner.Release(address, size);

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => inner.QueryNode(address, out nodeId);
}
