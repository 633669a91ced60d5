using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Playground.Cluster;

/// <summary>The machines of a cluster: nodes of the same size, further apart the more there are between them.</summary>
/// <param name="Nodes">How many nodes each has.</param>
/// <param name="CpusPerNode">How many CPUs each node has.</param>
internal sealed record MachineShape(int Nodes, int CpusPerNode)
{
    private const long MemoryPerNode = 64L << 30;
    private const int LocalDistance = 10;
    private const int NodesPerSocket = 4;

    public CpuSet CpusOf(int node) => CpuSet.Range(node * CpusPerNode, CpusPerNode);

    /// <summary>The machine as a process sees it that may use these CPUs, and the memory of their nodes.</summary>
    public SimulatedMachineOptions ToOptions(CpuSet? allowed = null)
    {
        var options = new SimulatedMachineOptions
        {
            AllowedCpus = allowed,
            AllowedNodes = allowed is null ? null : CpuSet.FromIds(allowed.Select(cpu => cpu / CpusPerNode)),
        };
        for (var node = 0; node < Nodes; node++)
        {
            options.Nodes.Add(new SimulatedNodeOptions
            {
                NodeId = new(node),
                Cpus = CpusOf(node),
                MemoryBytes = MemoryPerNode,
                Distances = [.. Enumerable.Range(0, Nodes).Select(other => Distance(node, other))],
            });
        }

        return options;
    }

    // As firmware has it: a little more within a socket, twice and more between sockets (ACPI SLIT).
    private static int Distance(int from, int to) =>
        from == to ? LocalDistance
        : from / NodesPerSocket == to / NodesPerSocket ? 12
        : Math.Min(32, 20 + Math.Abs((from / NodesPerSocket) - (to / NodesPerSocket)));
}
