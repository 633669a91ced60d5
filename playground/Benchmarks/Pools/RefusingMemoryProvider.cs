using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>Memory that cannot be bound: mbind(2) answers EPERM, as it does under Docker's seccomp profile.</summary>
internal sealed class RefusingMemoryProvider(INumaMemoryProvider inner) : INumaMemoryProvider
{
    private static readonly NumaResult s_refused = new(NumaFailure.NotPermitted, 1, "EPERM");

    public string Name => $"{inner.Name} without mbind";

    public nuint PageSize => inner.PageSize;

    public nuint CommitUnit => inner.CommitUnit;

    public NumaResult Reserve(nuint size, nuint alignment, out nint address) => inner.Reserve(size, alignment, out address);

    public NumaResult Commit(nint address, nuint size) => inner.Commit(address, size);

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => s_refused;

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => inner.Advise(address, size, advice);

    public NumaResult Release(nint address, nuint size) => inner.Release(address, size);

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => inner.QueryNode(address, out nodeId);
}
