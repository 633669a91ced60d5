using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>Plans one process for each node with CPUs, and its environment.</summary>
internal static class NodeProcesses
{
    public const string HeapLimit = "DOTNET_GCHeapHardLimit";
    private const string SharePort = "Numa__Transport__SharePort";

    // The share of a container's limit that .NET uses by default.
    private const double HeapShare = 0.75;

    // Any of these means that the user has chosen the heap's size (learn.microsoft.com, "Runtime configuration options for
    // garbage collection").
    private static readonly string[] s_heapLimits =
        [HeapLimit, $"{HeapLimit}Percent", "COMPlus_GCHeapHardLimit", "COMPlus_GCHeapHardLimitPercent"];

    /// <summary>Plans the processes.</summary>
    /// <param name="plan">Each of its nodes with CPUs gets a process.</param>
    /// <param name="policy">The memory policy.</param>
    /// <param name="availableBytes">The memory available to all processes together.</param>
    /// <param name="setGcLimits">Whether to limit heaps to their node's memory.</param>
    /// <param name="variable">Reads this process's environment: variables set there are the user's decision.</param>
    public static IReadOnlyList<NodeProcess> From(
        NumaPlan plan,
        NodeMemoryPolicy policy,
        long availableBytes,
        bool setGcLimits,
        Func<string, string?> variable)
    {
        NumaNodePlan[] nodes = [.. plan.Nodes.Where(static node => node.ServesItself)];
        var limits = setGcLimits && !s_heapLimits.Any(name => variable(name) is not null)
            ? LimitsOf(plan.Topology, nodes, availableBytes)
            : [];
        return
        [
            .. nodes.Select(node => new NodeProcess(
                node.NodeId,
                node.Cpus,
                node.MemoryNodeId,
                policy,
                EnvironmentOf(node, limits.GetValueOrDefault(node.NodeId), variable))),
        ];
    }

    private static Dictionary<string, string> EnvironmentOf(NumaNodePlan node, long heapLimit, Func<string, string?> variable)
    {
        var nodeId = node.NodeId.Value.ToString(CultureInfo.InvariantCulture);
        var environment = new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["NUMASHARP_NODE"] = nodeId,

            // The CPU set alone would let AddNuma() plan with the memory of all other nodes.
            ["Numa__Binding__Nodes"] = nodeId,
        };
        if (variable(SharePort) is null)
        {
            environment[SharePort] = "true";
        }

        if (heapLimit > 0)
        {
            // The runtime parses it as hexadecimal.
            environment[HeapLimit] = heapLimit.ToString("X", CultureInfo.InvariantCulture);
        }

        return environment;
    }

    // The available memory is divided in proportion to the nodes' memory, and no heap gets more than its part of its node.
    private static Dictionary<NumaNodeId, long> LimitsOf(NumaTopology topology, NumaNodePlan[] nodes, long availableBytes)
    {
        var memory = nodes.ToDictionary(
            static node => node.NodeId,
            node => (double)(topology.FindNode(node.MemoryNodeId)?.MemoryBytes ?? 0)
                / nodes.Count(other => other.MemoryNodeId == node.MemoryNodeId));
        var total = memory.Values.Sum();
        return memory.ToDictionary(
            static pair => pair.Key,
            pair => total == 0 ? 0 : (long)(HeapShare * Math.Min(pair.Value, availableBytes * (pair.Value / total))));
    }
}

/// <summary>The placement of one process.</summary>
/// <param name="NodeId">The node it is for.</param>
/// <param name="Cpus">Its CPUs.</param>
/// <param name="MemoryNodeId">The node that provides its memory; another one if the node has none.</param>
/// <param name="Policy">The memory policy.</param>
/// <param name="Environment">Variables added to this process's environment.</param>
internal sealed record NodeProcess(
    NumaNodeId NodeId,
    CpuSet Cpus,
    NumaNodeId MemoryNodeId,
    NodeMemoryPolicy Policy,
    IReadOnlyDictionary<string, string> Environment);

/// <summary>The memory policy of a new process.</summary>
internal enum NodeMemoryPolicy
{
    /// <summary>The node's memory first, others when it is full (MPOL_PREFERRED).</summary>
    Preferred,

    /// <summary>The node's memory only (MPOL_BIND).</summary>
    Strict,
}
