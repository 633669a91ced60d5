using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>One process for each node of a plan that has CPUs, and what each finds in its environment.</summary>
internal static class NodeProcesses
{
    public const string HeapLimit = "DOTNET_GCHeapHardLimit";
    private const string SharePort = "Numa__Transport__SharePort";

    // The share of a container's limit that .NET takes itself when it is told nothing.
    private const double HeapShare = 0.75;

    // Any of these is a decision of the user about the heap's size (docs.microsoft: "Runtime configuration options for GC").
    private static readonly string[] s_heapLimits =
        [HeapLimit, $"{HeapLimit}Percent", "COMPlus_GCHeapHardLimit", "COMPlus_GCHeapHardLimitPercent"];

    /// <summary>Plans the processes.</summary>
    /// <param name="plan">Its nodes that have CPUs get a process each.</param>
    /// <param name="policy">How memory is used.</param>
    /// <param name="availableBytes">The memory that all processes together may have.</param>
    /// <param name="setGcLimits">Whether heaps are limited to what their node has.</param>
    /// <param name="variable">Reads our own environment: what is there is the user's decision.</param>
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

            // The CPU set alone would leave AddNuma() the memory of all other nodes to plan with.
            ["Numa__Binding__Nodes"] = nodeId,
        };
        if (variable(SharePort) is null)
        {
            environment[SharePort] = "true";
        }

        if (heapLimit > 0)
        {
            // The runtime reads it as hexadecimal.
            environment[HeapLimit] = heapLimit.ToString("X", CultureInfo.InvariantCulture);
        }

        return environment;
    }

    // What the processes may have in all is divided as the nodes' memory is, and no heap gets more than its part of its node.
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
