using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Machine;

/// <summary>A machine at one point in time. Immutable.</summary>
/// <param name="Options">The declaration; not shared with other code.</param>
/// <param name="Topology">The topology, with all memory free.</param>
internal sealed record MachineState(SimulatedMachineOptions Options, NumaTopology Topology)
{
    /// <exception cref="NumaException">The declaration contradicts itself; the message has all reasons.</exception>
    public static MachineState From(SimulatedMachineOptions options)
    {
        var problems = MachineChecker.FindProblems(options);
        return problems.Count == 0
            ? new MachineState(options, TopologyBuilder.Build(options, static node => node.MemoryBytes))
            : throw new NumaException($"The simulated machine is invalid. {string.Join(" ", problems)}");
    }

    public SimulatedNodeOptions? FindNode(NumaNodeId nodeId) => Options.Nodes.FirstOrDefault(node => node.NodeId == nodeId);
}

/// <summary>Finds contradictions in a declaration, beyond those that a topology itself checks.</summary>
internal static class MachineChecker
{
    public static IReadOnlyList<string> FindProblems(SimulatedMachineOptions options)
    {
        var problems = new List<string>();
        if (options.Nodes.Count == 0)
        {
            problems.Add("It has no nodes.");
        }

        if (options.CallCapacity is < 0 or > SimulatedMachineOptions.MaxCallCapacity)
        {
            problems.Add(
                $"CallCapacity is {options.CallCapacity}; it must be from 0 to {SimulatedMachineOptions.MaxCallCapacity}.");
        }

        if (options.ThreadsPerCore < 1)
        {
            problems.Add($"ThreadsPerCore is {options.ThreadsPerCore}; it must be at least 1.");
        }

        problems.AddRange(options.Nodes.SelectMany(node => CheckNode(node, options)));
        problems.AddRange(options.Faults.Where(static fault => fault.After < 0 || fault.Times < 0)
            .Select(static fault => $"{fault}: After and Times must not be negative."));
        if (options.Nodes.Count > 0 && !options.Nodes.Any(node => IsUsable(node, options)))
        {
            problems.Add("No node has memory that may be used.");
        }

        return problems;
    }

    private static bool IsUsable(SimulatedNodeOptions node, SimulatedMachineOptions options) =>
        node is { MemoryBytes: > 0, IsDevice: false } && options.AllowedNodes?.Contains(node.NodeId.Value) != false;

    private static IEnumerable<string> CheckNode(SimulatedNodeOptions node, SimulatedMachineOptions options)
    {
        if (node.MemoryBytes < 0)
        {
            yield return $"Node {node.NodeId} has {node.MemoryBytes} bytes of memory.";
        }

        if (node.Distances.Count > 0 && node.Distances.Count != options.Nodes.Count)
        {
            yield return $"Node {node.NodeId} has {node.Distances.Count} distances; there are {options.Nodes.Count} nodes.";
        }

        if (node.Distances.Any(static distance => distance is < 10 or > 255))
        {
            yield return $"Node {node.NodeId} has a distance that is not from 10 to 255.";
        }

        if (options is { Cores.Count: 0, ThreadsPerCore: > 1 } && node.Cpus.Count % options.ThreadsPerCore != 0)
        {
            yield return $"Node {node.NodeId} has {node.Cpus.Count} CPUs, which {options.ThreadsPerCore} threads per core do not "
                + "divide.";
        }
    }
}
