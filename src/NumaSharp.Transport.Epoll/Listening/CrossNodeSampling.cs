using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Whether a loop's receives come from packets that another node's CPU has received: then the network interface's interrupts, or
/// on the loopback interface the client, are on that node, and so is the data (socket(7), SO_INCOMING_CPU). One receive of 64 is
/// asked about, which costs 5 nanoseconds for each. Thread-safe.
/// </summary>
internal sealed class CrossNodeSampling
{
    /// <summary>How many receives one that is asked about stands for.</summary>
    public const int Interval = 64;

    private const int Unknown = -1;

    private readonly int[] _nodeOfCpu;

    private CrossNodeSampling(NumaTopology topology)
    {
        var cpus = topology.Nodes.SelectMany(static node => node.OnlineCpus.Select(cpu => (cpu, node.NodeId))).ToArray();
        _nodeOfCpu = new int[cpus.Max(static pair => pair.cpu) + 1];
        Array.Fill(_nodeOfCpu, Unknown);
        foreach (var (cpu, node) in cpus)
        {
            _nodeOfCpu[cpu] = node;
        }
    }

    /// <summary>For a machine; <see langword="null"/> where no other node has CPUs.</summary>
    public static CrossNodeSampling? Of(NumaTopology topology) =>
        topology.Nodes.Count(static node => !node.OnlineCpus.IsEmpty) > 1 ? new CrossNodeSampling(topology) : null;

    /// <summary>Whether a CPU is another node's; <see langword="null"/> when nobody can tell.</summary>
    public bool? IsElsewhere(int cpu, NumaNodeId nodeId) =>
        (uint)cpu < (uint)_nodeOfCpu.Length && _nodeOfCpu[cpu] is not Unknown and var node ? node != nodeId.Value : null;
}
