namespace NumaSharp.Core.Planning;

/// <summary>Which CPUs a plan uses, and why it leaves others out.</summary>
internal static class CpuSelection
{
    /// <summary>The nodes that a request covers: a device's memory only if it is named.</summary>
    public static IEnumerable<NumaNode> WantedNodes(NumaTopology topology, NumaPlanRequest request) =>
        topology.Nodes.Where(node => request.Nodes?.Contains(node.NodeId) ?? !node.IsDevice);

    /// <summary>The nodes that a request may name, by kernel id: devices only if this process may use their memory.</summary>
    public static CpuSet NodesToName(NumaTopology topology) => CpuSet.FromIds(
        topology.Nodes.Where(static node => !node.IsDevice || node.IsMemoryAllowed).Select(static node => node.NodeId));

    /// <summary>The CPUs that may be used at all. When this is not empty, <see cref="Select"/> is not either.</summary>
    public static CpuSet Usable(NumaTopology topology, NumaPlanRequest request)
    {
        var cpus = CpuSet.UnionOf(WantedNodes(topology, request).Select(static node => node.Cpus));
        return (request.Cpus is null ? cpus : cpus.Intersect(request.Cpus)).Except(request.ReservedCpus);
    }

    public static CpuSet Select(NumaTopology topology, NumaPlanRequest request, PlanNotes notes)
    {
        var cpus = Usable(topology, request);
        notes.AddFor(topology.AllowedCpus.Intersect(request.ReservedCpus), "are reserved for others and left out.");
        cpus = LeaveIsolated(topology, request, cpus, notes);
        notes.AddFor(UnknownCores(topology, request, cpus), "have no core information; each counts as its own core.");
        cpus = request.AvoidSmtSiblings ? LeaveSiblings(topology, cpus, notes) : cpus;
        notes.AddFor(
            cpus.Intersect(topology.IsolatedCpus),
            "are isolated from the kernel's scheduler, which would not move a thread between them: each thread there is pinned "
            + "to one of them.");
        return cpus;
    }

    private static CpuSet LeaveIsolated(NumaTopology topology, NumaPlanRequest request, CpuSet cpus, PlanNotes notes)
    {
        var balanced = cpus.Except(topology.IsolatedCpus);
        if (request.Cpus is not null || balanced.IsEmpty)
        {
            return cpus;
        }

        notes.AddFor(
            cpus.Intersect(topology.IsolatedCpus),
            "are isolated from the kernel's scheduler and left out; to use them, name them in Cpus.");
        return balanced;
    }

    private static CpuSet LeaveSiblings(NumaTopology topology, CpuSet cpus, PlanNotes notes)
    {
        var firsts = CpuSet.FromIds(cpus.Where(cpu =>
            topology.FindCore(cpu) is not { } core || core.Cpus.Intersect(cpus).First == cpu));
        notes.AddFor(cpus.Except(firsts), "share their cores with CPUs of the plan and are left out.");
        return firsts;
    }

    private static CpuSet UnknownCores(NumaTopology topology, NumaPlanRequest request, CpuSet cpus) =>
        request.AvoidSmtSiblings || request.Granularity is NumaAffinityGranularity.Core or NumaAffinityGranularity.Cpu
            ? CpuSet.FromIds(cpus.Where(cpu => topology.FindCore(cpu) is null))
            : CpuSet.Empty;
}
