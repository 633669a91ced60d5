using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <summary>
/// The use of a machine: which CPUs run what, and where memory comes from. Created by a pure function, immutable, printable;
/// nothing changes until it is applied.
/// </summary>
public sealed class NumaPlan
{
    private readonly int[] _indexOfCpu;
    private readonly Dictionary<NumaNodeId, NumaNodePlan> _byId;

    private NumaPlan(
        NumaTopology topology, NumaPlanRequest request, ImmutableArray<NumaNodePlan> nodes, IReadOnlyList<string> notes)
    {
        Topology = topology;
        Request = request;
        Nodes = nodes;
        Notes = notes;
        Cpus = CpuSet.UnionOf(nodes.Select(static node => node.Cpus));
        LoopCount = nodes.Sum(static node => node.Loops);
        _byId = nodes.ToDictionary(static node => node.NodeId);
        _indexOfCpu = MapCpus(topology, nodes, Cpus);
    }

    /// <summary>The machine.</summary>
    public NumaTopology Topology { get; }

    /// <summary>The request that it was created from.</summary>
    public NumaPlanRequest Request { get; }

    /// <summary>The nodes of the plan in ascending order of id. Their positions stay when the machine changes.</summary>
    public IReadOnlyList<NumaNodePlan> Nodes { get; }

    /// <summary>
    /// Why the plan differs from what the machine suggests, one line each: CPUs that were left out, nodes that use the workers or
    /// memory of others, what firmware does not report. The same arguments give the same lines.
    /// </summary>
    public IReadOnlyList<string> Notes { get; }

    /// <summary>All CPUs of the plan; never empty.</summary>
    public CpuSet Cpus { get; }

    /// <summary>Whether threads are pinned and memory is bound.</summary>
    public bool IsEnabled => Request.Enabled;

    /// <summary>How memory is bound: <see cref="NumaBindMode.None"/> when the plan is not enabled.</summary>
    public NumaBindMode BindMode => IsEnabled ? Request.BindMode : NumaBindMode.None;

    /// <summary>How many event loops there are in all.</summary>
    public int LoopCount { get; }

    /// <summary>The nodes of this plan that the topology lacks, as they were last seen: their distances still count.</summary>
    internal ImmutableArray<NumaNode> Absent { get; private init; } = [];

    /// <summary>Plans a machine.</summary>
    /// <param name="topology">The machine.</param>
    /// <param name="request">The request.</param>
    /// <returns>The plan; the same arguments give the same plan.</returns>
    /// <exception cref="NumaException">The request does not fit the machine; all reasons are in the message.</exception>
    public static NumaPlan Create(NumaTopology topology, NumaPlanRequest? request = null)
    {
        return TryCreate(topology, request, out var plan, out var problems)
            ? plan
            : throw new NumaException($"The NUMA plan does not fit this machine. {string.Join(" ", problems)}");
    }

    /// <summary>Plans a machine, or finds everything that keeps the request from fitting it.</summary>
    /// <param name="topology">The machine.</param>
    /// <param name="request">The request; <see langword="null"/> for the defaults.</param>
    /// <param name="plan">The plan; <see langword="null"/> if there are problems. The same arguments give the same plan.</param>
    /// <param name="problems">The problems; empty if there is a plan.</param>
    /// <returns>Whether there is a plan.</returns>
    public static bool TryCreate(
        NumaTopology topology,
        NumaPlanRequest? request,
        [NotNullWhen(true)] out NumaPlan? plan,
        out IReadOnlyList<NumaPlanProblem> problems)
    {
        ArgumentNullException.ThrowIfNull(topology);
        request ??= new NumaPlanRequest();
        problems = NumaPlanChecker.FindProblems(topology, request);
        var notes = new PlanNotes();
        plan = problems.Count == 0
            ? new NumaPlan(topology, request, NumaPlanner.Plan(topology, request, notes), notes.ToLines())
            : null;
        return plan is not null;
    }

    /// <summary>Finds the plan of a node by its kernel id.</summary>
    /// <param name="nodeId">The kernel id.</param>
    /// <returns>The node's plan, or <see langword="null"/>.</returns>
    public NumaNodePlan? FindNode(NumaNodeId nodeId) => _byId.GetValueOrDefault(nodeId);

    /// <summary>
    /// Finds the plan that serves a node, whether or not the plan has it: the node itself, or the nearest that it has.
    /// </summary>
    /// <param name="nodeId">The kernel id of any node.</param>
    /// <returns>The plan of the node, or of the one nearest to it.</returns>
    public NumaNodePlan GetNearestNode(NumaNodeId nodeId) =>
        FindNode(nodeId)
        ?? Nodes.MinBy(node => (Topology.GetDistance(nodeId, node.NodeId), Math.Abs(node.NodeId.Value - nodeId.Value)))!;

    /// <summary>The position in <see cref="Nodes"/> of the node that a CPU belongs to.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <returns>The position, or -1 when the CPU is not in the plan.</returns>
    public int IndexOfCpu(int cpu) => (uint)cpu < (uint)_indexOfCpu.Length ? _indexOfCpu[cpu] : -1;

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

    /// <summary>The plan in one line, as it is logged at start.</summary>
    /// <returns>The line.</returns>
    public override string ToString() => PlanText.Of(this);

    /// <summary>For threads without CPUs of their own: the balanced ones of some CPUs, all of them if none is.</summary>
    internal CpuSet CommonOf(CpuSet cpus) => BalancedOf(cpus) is { IsEmpty: false } balanced ? balanced : cpus;

    /// <summary>Those of some CPUs that the kernel's scheduler moves threads between; none when all are isolated.</summary>
    internal CpuSet BalancedOf(CpuSet cpus) => cpus.Except(Topology.IsolatedCpus);

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

    // CPUs on which a second node's threads are guests belong to their own node.
    private static int[] MapCpus(NumaTopology topology, ImmutableArray<NumaNodePlan> nodes, CpuSet cpus)
    {
        var map = new int[cpus.Last + 1];
        Array.Fill(map, -1);
        foreach (var node in nodes.Where(static node => node.ServesItself))
        {
            foreach (var cpu in node.Cpus)
            {
                if (map[cpu] < 0 || topology.FindNode(node.NodeId)?.Cpus.Contains(cpu) == true)
                {
                    map[cpu] = node.NodeIndex;
                }
            }
        }

        return map;
    }
}
