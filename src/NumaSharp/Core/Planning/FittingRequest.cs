namespace NumaSharp.Core.Planning;

/// <summary>What is left of a request on a machine that has less than when it was made.</summary>
internal static class FittingRequest
{
    public static NumaPlanRequest Find(NumaTopology topology, NumaPlanRequest request, out NumaFallback? misfit)
    {
        misfit = null;
        var problems = NumaPlan.Validate(topology, request);
        if (problems.Count == 0)
        {
            return request;
        }

        var fitting = Candidates(topology, request).First(candidate => NumaPlan.Validate(topology, candidate).Count == 0);
        var used = NumaPlanner.UsableCpus(topology, fitting);
        misfit = new NumaFallback(
            "topology.request",
            $"The machine has changed and no longer has what was asked for: {string.Join(" ", problems)} Until it does, CPUs "
            + $"{used} are used.");
        return fitting;
    }

    // What was asked for as far as it is there; then the nodes without the CPUs, the CPUs without the nodes, anything that is
    // not reserved, and at last the reserved: a process must run somewhere.
    private static IEnumerable<NumaPlanRequest> Candidates(NumaTopology topology, NumaPlanRequest request)
    {
        var ids = topology.Nodes.Where(static node => node.Kind != NumaNodeKind.Device).Select(static node => node.NodeId);
        var nodes = Narrow(request.Nodes, CpuSet.FromIds(ids));
        var cpus = Narrow(request.Cpus, topology.AllowedCpus);
        yield return request with { Nodes = nodes, Cpus = cpus };
        yield return request with { Nodes = nodes, Cpus = null };
        yield return request with { Nodes = null, Cpus = cpus };
        yield return request with { Nodes = null, Cpus = null };
        yield return request with { Nodes = null, Cpus = null, ReservedCpus = CpuSet.Empty };
        yield return new NumaPlanRequest
        {
            Enabled = request.Enabled,
            BindMode = request.BindMode,
            ThreadsPerNode = request.ThreadsPerNode,
            LoopsPerNode = request.LoopsPerNode,
        };
    }

    private static CpuSet? Narrow(CpuSet? wanted, CpuSet available) =>
        wanted?.Intersect(available) is { IsEmpty: false } left ? left : null;
}
