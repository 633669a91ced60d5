using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>The memory part of a <see cref="NumaNodePlan"/>.</summary>
internal readonly record struct MemoryShares(
    NumaMemoryPolicy Policy, ImmutableArray<NumaNodeId> NodeIds, ImmutableArray<int> Weights);
