using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.TestKit;

/// <summary>Machines of the Simulated plugin in the shapes that tests ask for most.</summary>
public static class TestMachines
{
    private const long NodeBytes = 1L << 30;

    /// <summary>
    /// A node as a topology provider describes it, also one that contradicts others. Without memory it has CPUs only, without
    /// CPUs memory only. Its distances are to the nodes from 0 on.
    /// </summary>
    public static NumaNode Node(int id, string cpus, long memoryBytes = NodeBytes, params int[] distances)
    {
        var set = CpuSet.ParseList(cpus);
        return new NumaNode
        {
            Id = new(id),
            Kind = memoryBytes == 0 ? NumaNodeKind.Cpu : set.IsEmpty ? NumaNodeKind.Memory : NumaNodeKind.Normal,
            Cpus = set,
            OnlineCpus = set,
            MemoryBytes = memoryBytes,
            MemoryFreeBytes = memoryBytes,
            IsMemoryAllowed = memoryBytes > 0,
            Distances = distances.Index().ToDictionary(static to => new NumaNodeId(to.Index), static to => to.Item),
        };
    }

    /// <summary>A node of a machine of the Simulated plugin. Its distances are to the machine's nodes, in their order.</summary>
    public static SimulatedNodeOptions NodeOptions(
        int id, string cpus, long memoryBytes = NodeBytes, params int[] distances) =>
        new() { NodeId = new(id), Cpus = CpuSet.ParseList(cpus), MemoryBytes = memoryBytes, Distances = distances };

    /// <summary>
    /// Nodes from 0 on with so many CPUs each and 1 GiB, in a row: the distance grows with the difference of the ids. A node
    /// without CPUs has memory only.
    /// </summary>
    public static SimulatedMachineOptions Row(params int[] cpusPerNode)
    {
        ArgumentNullException.ThrowIfNull(cpusPerNode);
        var options = new SimulatedMachineOptions();
        var first = 0;
        for (var id = 0; id < cpusPerNode.Length; id++)
        {
            var from = id;
            options.Nodes.Add(new SimulatedNodeOptions
            {
                NodeId = new(id),
                Cpus = CpuSet.Range(first, cpusPerNode[id]),
                MemoryBytes = NodeBytes,
                Distances = [.. Enumerable.Range(0, cpusPerNode.Length).Select(to => 10 + (10 * Math.Abs(to - from)))],
            });
            first += cpusPerNode[id];
        }

        return options;
    }

    /// <summary>
    /// Nodes of four CPUs each in a row, as a process finds them that may use these CPUs and the memory of these nodes; a node
    /// of which it may use nothing is not there.
    /// </summary>
    public static NumaTopology ReadAllowed(string cpus, string memoryNodes)
    {
        const int CpusPerNode = 4;
        var (allowed, memory) = (CpuSet.ParseList(cpus), CpuSet.ParseList(memoryNodes));
        int[] ids = [.. allowed.Select(static cpu => cpu / CpusPerNode).Concat(memory).Distinct().Order()];
        var options = new SimulatedMachineOptions { AllowedCpus = allowed, AllowedNodes = memory };
        foreach (var id in ids)
        {
            options.Nodes.Add(new SimulatedNodeOptions
            {
                NodeId = new(id),
                Cpus = CpuSet.Range(id * CpusPerNode, CpusPerNode),
                MemoryBytes = NodeBytes,
                Distances = [.. ids.Select(to => 10 + (10 * Math.Abs(to - id)))],
            });
        }

        return options.Read();
    }

    /// <summary>
    /// Nodes of these ids, in order, with one CPU of the same id and 1 GiB each; all remote nodes are equally far.
    /// </summary>
    public static SimulatedMachineOptions WithIds(params IEnumerable<int> ids) =>
        Of([.. ids.Select(static id => (id, CpuSet.FromIds(id)))]);

    /// <summary>Nodes with these CPUs and 1 GiB each; nothing is known of their distances.</summary>
    public static SimulatedMachineOptions Of(params (int NodeId, CpuSet Cpus)[] nodes)
    {
        ArgumentNullException.ThrowIfNull(nodes);
        var options = new SimulatedMachineOptions();
        foreach (var (id, cpus) in nodes)
        {
            options.Nodes.Add(new SimulatedNodeOptions { NodeId = new(id), Cpus = cpus, MemoryBytes = NodeBytes });
        }

        return options;
    }

    /// <summary>One node with one CPU, which this process may really use: a plan of it has one worker and one loop.</summary>
    public static SimulatedMachineOptions OneCpu() => Of((0, CpuSet.FromIds(NumaTopology.Instance.AllowedCpus.First)));

    /// <summary>What the machine's topology provider reads.</summary>
    public static NumaTopology Read(this SimulatedMachineOptions options)
    {
        using var machine = new SimulatedMachine(options);
        return machine.Platform.Topology.Read();
    }

    /// <summary>What its memory was asked to be bound to, in order, refused or not.</summary>
    public static NumaPlacement[] Placements(this SimulatedMachine machine)
    {
        ArgumentNullException.ThrowIfNull(machine);
        return [.. machine.Calls.Where(static call => call.Placement is not null).Select(static call => call.Placement!)];
    }

    /// <summary>The plan of the whole machine, by default settings unless a test asks for others.</summary>
    public static NumaPlan Plan(this SimulatedMachineOptions options, NumaPlanRequest? request = null) =>
        NumaPlan.Create(options.Read(), request ?? new NumaPlanRequest());
}
