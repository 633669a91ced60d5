using System.Collections.ObjectModel;

namespace NumaSharp.Core.Planning;

/// <summary>Plans as much of a request as the machine still has.</summary>
internal static class FittingPlan
{
    public static NumaPlan Make(NumaTopology topology, NumaPlanRequest request, out NumaFallback? misfit)
    {
        misfit = null;
        if (NumaPlan.TryCreate(topology, request, out var plan, out var problems))
        {
            return plan;
        }

        plan = Candidates(topology, request).Select(candidate => PlanOf(topology, candidate)).OfType<NumaPlan>().First();
        misfit = new NumaFallback(
            FallbackCatalog.TopologyRequest,
            $"The machine has changed and no longer has the requested nodes or CPUs: {string.Join(" ", problems)} Until it does, "
            + $"CPUs {plan.Cpus} are used.");
        return plan;
    }

    private static NumaPlan? PlanOf(NumaTopology topology, NumaPlanRequest request) =>
        NumaPlan.TryCreate(topology, request, out var plan, out _) ? plan : null;

    // What still exists of the request; then the nodes without the CPUs, the CPUs without the nodes, anything that is not
    // reserved, and at last the reserved: a process must run somewhere. For each, memory and loops as requested, then as far as
    // their nodes and interfaces exist, then the defaults.
    private static IEnumerable<NumaPlanRequest> Candidates(NumaTopology topology, NumaPlanRequest request)
    {
        var nodes = Narrow(request.Nodes, CpuSelection.NodesToName(topology));
        var cpus = Narrow(request.Cpus, topology.AllowedCpus);
        NumaPlanRequest[] places =
        [
            request with { Nodes = nodes, Cpus = cpus },
            request with { Nodes = nodes, Cpus = null },
            request with { Nodes = null, Cpus = cpus },
            request with { Nodes = null, Cpus = null },
            request with { Nodes = null, Cpus = null, ReservedCpus = CpuSet.Empty },
        ];
        foreach (var place in places)
        {
            yield return place;
            yield return WithoutAbsent(topology, place);
            yield return WithLocalMemory(place) with { NetworkDevice = null };
        }
    }

    private static NumaPlanRequest WithoutAbsent(NumaTopology topology, NumaPlanRequest request)
    {
        var sources = CpuSet.FromIds(MemoryPlanner.Sources(topology, request).Select(static node => node.NodeId));
        var planned = NumaPlanner.PlannedNodes(topology, request);
        var map = request.Map
            .Where(pair => planned.Contains(pair.Key.Value))
            .Select(pair => KeyValuePair.Create(
                pair.Key, (IReadOnlyList<NumaNodeId>)[.. pair.Value.Where(id => sources.Contains(id.Value))]))
            .Where(static pair => pair.Value.Count > 0)
            .ToDictionary();
        var device = request.NetworkDevice;
        var isDeviceThere = device is not null && (LoopNodes.IsAuto(device) || LoopNodes.Wanted(topology, device).Any());
        var fitting = request with
        {
            Map = map,
            Weights = request.Weights.Where(pair => sources.Contains(pair.Key.Value)).ToDictionary(),
            NetworkDevice = isDeviceThere ? device : null,
        };
        return request.Policy == NumaMemoryPolicy.Custom && map.Count == 0 ? WithLocalMemory(fitting) : fitting;
    }

    private static NumaPlanRequest WithLocalMemory(NumaPlanRequest request) => request with
    {
        Policy = NumaMemoryPolicy.Local,
        Map = ReadOnlyDictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>.Empty,
        Weights = ReadOnlyDictionary<NumaNodeId, int>.Empty,
    };

    private static CpuSet? Narrow(CpuSet? wanted, CpuSet available) =>
        wanted?.Intersect(available) is { IsEmpty: false } left ? left : null;
}
