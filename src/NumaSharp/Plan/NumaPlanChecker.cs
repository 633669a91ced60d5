using System.Globalization;

namespace NumaSharp.Core.Planning;

/// <summary>Finds everything that keeps a request from fitting a machine, in one go.</summary>
internal static class NumaPlanChecker
{
    private const int MaxPerNode = 4096;

    public static IReadOnlyList<NumaPlanProblem> FindProblems(NumaTopology topology, NumaPlanRequest request)
    {
        var problems = new List<NumaPlanProblem>();
        CheckCount(problems, nameof(request.ThreadsPerNode), request.ThreadsPerNode);
        CheckCount(problems, nameof(request.LoopsPerNode), request.LoopsPerNode);
        CheckName(problems, nameof(request.BindMode), request.BindMode);
        CheckName(problems, nameof(request.Policy), request.Policy);
        CheckName(problems, nameof(request.Granularity), request.Granularity);
        if (request.Enabled)
        {
            problems.AddRange(MemoryPolicyChecker.FindContradictions(request));
            if (CheckPlaces(problems, topology, request))
            {
                problems.AddRange(MemoryPolicyChecker.FindUnknownNodes(topology, request));
            }

            CheckNetworkDevice(problems, topology, request.NetworkDevice);
        }

        return problems;
    }

    private static bool CheckPlaces(List<NumaPlanProblem> problems, NumaTopology topology, NumaPlanRequest request)
    {
        var nodeIds = CpuSelection.NodesToName(topology);
        var areKnown =
            CheckSubset(problems, nameof(request.Nodes), request.Nodes, nodeIds, "nodes that this process may use")
            & CheckSubset(problems, nameof(request.Cpus), request.Cpus, topology.AllowedCpus, "CPUs that this process may use");
        if (!areKnown || !CpuSelection.Usable(topology, request).IsEmpty)
        {
            return areKnown;
        }

        var (setting, value) = request switch
        {
            { ReservedCpus.IsEmpty: false } => (nameof(request.ReservedCpus), request.ReservedCpus),
            { Cpus: { } cpus } => (nameof(request.Cpus), cpus),
            _ => (nameof(request.Nodes), request.Nodes),
        };
        problems.Add(new NumaPlanProblem(
            setting,
            Text(value),
            $"no CPU is left: allowed are {topology.AllowedCpus}, Nodes is {Text(request.Nodes)}, Cpus is {Text(request.Cpus)}, "
            + $"ReservedCpus is {Text(request.ReservedCpus)}."));
        return false;
    }

    private static void CheckNetworkDevice(List<NumaPlanProblem> problems, NumaTopology topology, string? name)
    {
        if (name is null || LoopNodes.IsAuto(name) || LoopNodes.Wanted(topology, name).Any())
        {
            return;
        }

        var known = topology.NetworkDevices.Select(static device => device.Name).Order(StringComparer.Ordinal).ToArray();
        problems.Add(new NumaPlanProblem(
            nameof(NumaPlanRequest.NetworkDevice),
            name,
            known.Length == 0
                ? "no network interface with hardware behind it is known here; a container's own has none."
                : $"is not a network interface with hardware behind it; known are {string.Join(", ", known)}."));
    }

    private static void CheckName<T>(List<NumaPlanProblem> problems, string setting, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            problems.Add(new NumaPlanProblem(setting, value.ToString(), $"allowed are {string.Join(", ", Enum.GetNames<T>())}."));
        }
    }

    private static void CheckCount(List<NumaPlanProblem> problems, string setting, int value)
    {
        if (value is < 0 or > MaxPerNode)
        {
            problems.Add(new NumaPlanProblem(
                setting,
                value.ToString(CultureInfo.InvariantCulture),
                $"must be from 0 (as many as the node has CPUs) to {MaxPerNode}."));
        }
    }

    private static bool CheckSubset(
        List<NumaPlanProblem> problems, string setting, CpuSet? value, CpuSet allowed, string what)
    {
        if (value is null || (!value.IsEmpty && value.IsSubsetOf(allowed)))
        {
            return true;
        }

        problems.Add(new NumaPlanProblem(
            setting,
            value.ToString(),
            value.IsEmpty
                ? $"is empty; allowed are the {what}: {allowed}."
                : $"{value.Except(allowed)} cannot be used; allowed are the {what}: {allowed}."));
        return false;
    }

    private static string Text(CpuSet? set) => set is null ? "not set" : set.IsEmpty ? "empty" : set.ToString();
}

/// <summary>Finds errors in the memory settings of a request.</summary>
internal static class MemoryPolicyChecker
{
    private const int MaxWeight = 255;

    /// <summary>Contradictions that hold on any machine.</summary>
    public static IEnumerable<NumaPlanProblem> FindContradictions(NumaPlanRequest request)
    {
        if (request is { Policy: NumaMemoryPolicy.Custom, Map.Count: 0 })
        {
            yield return Problem(nameof(request.Policy), request.Policy, "needs Map: which nodes each node's memory comes from.");
        }

        if (request.Policy != NumaMemoryPolicy.Local && request.BindMode == NumaBindMode.None)
        {
            yield return Problem(
                nameof(request.Policy), request.Policy, "needs bind mode Advisory or Strict: None binds no memory to a node.");
        }

        if (request.Map.Count > 0 && request.Policy != NumaMemoryPolicy.Custom)
        {
            yield return Problem(
                nameof(request.Map), Keys(request.Map.Keys), $"needs Policy Custom; Policy is {request.Policy}.");
        }

        if (request.Weights.Count > 0 && request.Policy != NumaMemoryPolicy.WeightedInterleave)
        {
            yield return Problem(
                nameof(request.Weights),
                Keys(request.Weights.Keys),
                $"needs Policy WeightedInterleave; Policy is {request.Policy}.");
        }

        foreach (var (node, weight) in request.Weights.OrderBy(static pair => pair.Key))
        {
            if (weight is < 1 or > MaxWeight)
            {
                yield return Problem($"{nameof(request.Weights)}:{node}", weight, $"must be from 1 to {MaxWeight}.");
            }
        }
    }

    /// <summary>Settings that name nodes which this machine lacks.</summary>
    public static IEnumerable<NumaPlanProblem> FindUnknownNodes(NumaTopology topology, NumaPlanRequest request)
    {
        var sources = CpuSet.FromIds(MemoryPlanner.Sources(topology, request).Select(static node => node.NodeId));
        foreach (var (node, weight) in request.Weights.OrderBy(static pair => pair.Key))
        {
            if (!sources.Contains(node.Value))
            {
                yield return Problem(
                    $"{nameof(request.Weights)}:{node}",
                    weight,
                    $"node {node} has no memory that the plan may use; nodes that have are {sources}.");
            }
        }

        var planned = NumaPlanner.PlannedNodes(topology, request);
        foreach (var (node, ids) in request.Map.OrderBy(static pair => pair.Key))
        {
            if (FindFault(node, ids, planned, sources) is { } fault)
            {
                yield return Problem($"{nameof(request.Map)}:{node}", ids is null ? "" : string.Join(',', ids), fault);
            }
        }
    }

    private static string? FindFault(NumaNodeId node, IReadOnlyList<NumaNodeId>? ids, CpuSet planned, CpuSet sources)
    {
        if (!planned.Contains(node.Value))
        {
            return $"node {node} is not in the plan; its nodes are {planned}.";
        }

        if (ids is null or { Count: 0 })
        {
            return $"names no node; nodes with memory that the plan may use are {sources}.";
        }

        var unknown = ids.Where(id => !sources.Contains(id.Value)).ToArray();
        return unknown.Length > 0
            ? $"{string.Join(',', unknown)} cannot be used; nodes with memory that the plan may use are {sources}."
            : ids.Distinct().Count() < ids.Count ? "names a node twice." : null;
    }

    private static NumaPlanProblem Problem<T>(string setting, T value, string message) =>
        new(setting, string.Create(CultureInfo.InvariantCulture, $"{value}"), message);

    private static string Keys(IEnumerable<NumaNodeId> nodes) => string.Join(',', nodes.Order());
}
