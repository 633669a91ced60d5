using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Topology;

/// <summary>What a machine is at one moment. Immutable.</summary>
/// <param name="Options">The declaration; nobody else has it.</param>
/// <param name="Topology">The topology, with all memory free.</param>
internal sealed record MachineState(SimulatedMachineOptions Options, NumaTopology Topology)
{
    /// <exception cref="NumaException">The declaration contradicts itself; all reasons are in the message.</exception>
    public static MachineState From(SimulatedMachineOptions options)
    {
        var problems = MachineChecker.FindProblems(options);
        return problems.Count == 0
            ? new MachineState(options, TopologyBuilder.Build(options, static node => node.MemoryBytes))
            : throw new NumaException($"The simulated machine cannot be. {string.Join(" ", problems)}");
    }

    public SimulatedNodeOptions? FindNode(NumaNodeId nodeId) => Options.Nodes.FirstOrDefault(node => node.NodeId == nodeId);
}
