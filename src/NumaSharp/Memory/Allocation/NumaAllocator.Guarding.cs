using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <content>
/// The checked and the hardened mode: the gate stays closed, so that every call takes the slow path, which calls the guard.
/// </content>
public sealed unsafe partial class NumaAllocator
{
    private readonly BlockGuard? _guard;

    internal int CurrentIndex => _current.Index;

    /// <summary>
    /// The blocks in use by the place in the code that allocated them, those with the most bytes first. A snapshot. If some are
    /// left at <see cref="Dispose"/>, the allocator reports them as the fallback <c>memory.leak</c>.
    /// </summary>
    /// <returns>One item per place and node.</returns>
    /// <exception cref="InvalidOperationException">
    /// The allocator was created without <see cref="NumaMemoryChecks.Full"/>, and does not record this.
    /// </exception>
    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks() => _guard is BlockChecks checks
        ? checks.GetLiveBlocks()
        : throw new InvalidOperationException(
            $"Where blocks were allocated is recorded only with {nameof(NumaAllocatorOptions)}."
            + $"{nameof(NumaAllocatorOptions.Checks)} = {nameof(NumaMemoryChecks.Full)}.");

    /// <summary>A block as without a guard.</summary>
    internal nint AllocateUnguarded(int nodeIndex, nuint size, nuint alignment) =>
        Math.Max(size, alignment) > SizeClasses.Largest ? AllocateLarge(nodeIndex, size, alignment).Address
        : TakeSmall(
            nodeIndex,
            alignment > SizeClasses.Granule
                ? AlignedClassOf(size, alignment)
                : SizeClasses.ClassOf(Math.Max(size, 1)));

    /// <summary>A block with a mapping of its own, whatever its size.</summary>
    internal LargeBlock AllocateLargeUnguarded(int nodeIndex, nuint size, nuint alignment) =>
        AllocateLarge(nodeIndex, size, alignment);

    /// <summary>Whether the address is where small blocks are.</summary>
    internal bool IsInRange(nint address) => _range.IndexOf(address) >= 0;

    internal NumaNodeId NodeIdOf(int nodeIndex) => _nodeIds[nodeIndex];

    private NumaAllocatorStatistics StatisticsOf(AllocatorNode node)
    {
        var statistics = node.GetStatistics(Volatile.Read(ref _heaps));
        return _guard?.Correct(node.Index, statistics) ?? statistics;
    }

    private INumaMemoryProvider GuardedMemory(INumaMemoryProvider memory) =>
        _guard is null ? memory : new GuardPageMemory(memory);
}
