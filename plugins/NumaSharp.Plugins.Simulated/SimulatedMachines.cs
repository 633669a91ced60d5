using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>Common machines; <c>Numa:Simulated:Preset</c> takes their names. Each call creates new options.</summary>
public static class SimulatedMachines
{
    private const long GiB = 1L << 30;

    internal static IReadOnlyDictionary<string, Func<SimulatedMachineOptions>> ByName { get; } =
        new Dictionary<string, Func<SimulatedMachineOptions>>(StringComparer.OrdinalIgnoreCase)
        {
            [nameof(TwoSockets)] = TwoSockets,
            [nameof(Nps4)] = Nps4,
            [nameof(Cxl)] = Cxl,
            [nameof(Gpu)] = Gpu,
        };

    /// <summary>Two sockets of four cores with two threads each, 16 GiB per node, distance 21.</summary>
    /// <returns>The options.</returns>
    public static SimulatedMachineOptions TwoSockets() => new()
    {
        ThreadsPerCore = 2,
        Nodes =
        {
            Node(0, "0-3,8-11", [10, 21]),
            Node(1, "4-7,12-15", [21, 10]),
        },
        NetworkDevices = { new NumaNetworkDevice("eth0", new(0)), new NumaNetworkDevice("eth1", new(1)) },
    };

    /// <summary>One socket in four nodes (AMD's NPS4), four CPUs in two core complexes each, distance 12.</summary>
    /// <returns>The options.</returns>
    public static SimulatedMachineOptions Nps4() => new()
    {
        Nodes =
        {
            Node(0, "0-3", [10, 12, 12, 12]),
            Node(1, "4-7", [12, 10, 12, 12]),
            Node(2, "8-11", [12, 12, 10, 12]),
            Node(3, "12-15", [12, 12, 12, 10]),
        },
        LastLevelCaches =
        {
            CpuSet.Range(0, 2), CpuSet.Range(2, 2), CpuSet.Range(4, 2), CpuSet.Range(6, 2),
            CpuSet.Range(8, 2), CpuSet.Range(10, 2), CpuSet.Range(12, 2), CpuSet.Range(14, 2),
        },
        NetworkDevices = { new NumaNetworkDevice("eth0", new(2)) },
    };

    /// <summary>Two sockets, and the memory-only node 2 in a slower tier, nearer to socket 0.</summary>
    /// <returns>The options.</returns>
    public static SimulatedMachineOptions Cxl()
    {
        var machine = new SimulatedMachineOptions
        {
            Nodes =
            {
                Node(0, "0-3", [10, 21, 14]),
                Node(1, "4-7", [21, 10, 24]),
                new SimulatedNodeOptions { NodeId = new(2), MemoryBytes = 64 * GiB, Distances = [14, 24, 10] },
            },
        };
        Describe(machine.Nodes[0], tier: 4, latency: 90, bandwidth: 200_000);
        Describe(machine.Nodes[1], tier: 4, latency: 90, bandwidth: 200_000);
        Describe(machine.Nodes[2], tier: 22, latency: 250, bandwidth: 60_000);
        return machine;
    }

    /// <summary>Two sockets, and node 2 with the memory of a GPU.</summary>
    /// <returns>The options.</returns>
    public static SimulatedMachineOptions Gpu() => new()
    {
        Nodes =
        {
            Node(0, "0-3", [10, 21, 40]),
            Node(1, "4-7", [21, 10, 40]),
            new SimulatedNodeOptions { NodeId = new(2), MemoryBytes = 80 * GiB, IsDevice = true, Distances = [40, 40, 10] },
        },
    };

    private static SimulatedNodeOptions Node(int id, string cpus, int[] distances) => new()
    {
        NodeId = new(id),
        Cpus = CpuSet.ParseList(cpus),
        MemoryBytes = 16 * GiB,
        Distances = distances,
    };

    private static void Describe(SimulatedNodeOptions node, int tier, int latency, int bandwidth)
    {
        node.MemoryTier = tier;
        node.Access =
        [
            new NumaMemoryAccess(0, CpuSet.FromIds(node.Cpus.IsEmpty ? 0 : node.NodeId.Value))
            {
                ReadLatency = latency, WriteLatency = latency, ReadBandwidth = bandwidth, WriteBandwidth = bandwidth,
            },
        ];
    }
}
