using NumaSharp.Core;

namespace NumaSharp.MemoryProbe;

/// <summary>The machine's memory, on which every binding is granted and none done: it may have one node, or refuse.</summary>
internal sealed class UnboundMemory : INumaMemoryProvider
{
    private readonly INumaMemoryProvider _inner = NumaPlatform.Default.Memory;

    public string Name => "Unbound";

    public nuint PageSize => _inner.PageSize;

    public NumaResult Reserve(nuint size, nuint alignment, out nint address) => _inner.Reserve(size, alignment, out address);

    public NumaResult Commit(nint address, nuint size) => _inner.Commit(address, size);

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => NumaResult.Success;

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => _inner.Advise(address, size, advice);

    public NumaResult Release(nint address, nuint size) => _inner.Release(address, size);

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => _inner.QueryNode(address, out nodeId);
}
