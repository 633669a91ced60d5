using System.Globalization;

namespace NumaSharp.Core.Planning;

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
