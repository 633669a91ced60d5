using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Topology;

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
