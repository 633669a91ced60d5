using System.Collections.Immutable;
using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <content>The plan that follows when the machine has changed.</content>
public sealed partial class NumaPlan
{
    /// <summary>The nodes of this plan that the topology lacks, as they were last seen: their distances still count.</summary>
    internal ImmutableArray<NumaNode> Absent { get; private init; } = [];

    /// <summary>
    /// Plans the machine again for threads that already run. Every node keeps its position and loops, and gets as many workers as
    /// a fresh plan gives it. One that has lost all its CPUs keeps its workers, on the nearest CPUs that are left; if the request
    /// no longer fits, what fits is kept (<see cref="NumaPlanChange.Fallbacks"/> reports it). CPUs of nodes that had no workers
    /// at the start stay unused.
    /// </summary>
    /// <param name="topology">The machine as it is now.</param>
    /// <returns>The difference and the new plan; never without a CPU. The same arguments give the same change.</returns>
    public NumaPlanChange Adapt(NumaTopology topology)
    {
        ArgumentNullException.ThrowIfNull(topology);
        var fresh = FittingPlan.Make(topology, Request, out var misfit);
        var absent = PlanAdapter.FindAbsent(this, topology);
        var plan = new NumaPlan(topology, Request, PlanAdapter.PlaceNodes(this, fresh, absent), fresh.Notes) { Absent = absent };
        NumaFallback?[] fallbacks = [misfit, PlanAdapter.FindUnused(plan, fresh)];
        return new NumaPlanChange(this, plan, [.. fallbacks.OfType<NumaFallback>()]);
    }

    /// <summary>Whether nodes and loops have the same positions in both plans.</summary>
    internal bool HasPositionsOf(NumaPlan plan) =>
        plan.Nodes.Count == Nodes.Count && plan.IsEnabled == IsEnabled && plan.Nodes.Zip(Nodes).All(static pair =>
            pair.First.NodeId == pair.Second.NodeId
            && pair.First.ServingIndex == pair.Second.ServingIndex
            && pair.First.Threads == 0 == (pair.Second.Threads == 0)
            && pair.First.Loops == pair.Second.Loops);

    /// <summary>Throws unless a plan can replace this one while threads run.</summary>
    /// <exception cref="ArgumentException">Its positions differ.</exception>
    internal void CheckSuccessor(NumaPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        if (!HasPositionsOf(plan))
        {
            throw new ArgumentException(
                $"The next plan must be made by {nameof(Adapt)} from the current one. Current: {this}. Given: {plan}.",
                nameof(plan));
        }
    }
}
