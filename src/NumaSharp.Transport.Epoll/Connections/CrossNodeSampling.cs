using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Whether a loop receives packets through another node's CPU: then the network interface's interrupts, or on the loopback
/// interface the client, are on that node, and so is the data (socket(7), SO_INCOMING_CPU). One receive in 64 is sampled: a
/// system call for 64 receives. Thread-safe.
/// </summary>
internal sealed class CrossNodeSampling
{
    /// <summary>The number of receives that one sample stands for.</summary>
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

    /// <summary>The sampling for a machine; <see langword="null"/> if no other node has CPUs.</summary>
    public static CrossNodeSampling? Of(NumaTopology topology) =>
        topology.Nodes.Count(static node => !node.OnlineCpus.IsEmpty) > 1 ? new CrossNodeSampling(topology) : null;

    /// <summary>Whether a CPU belongs to another node; <see langword="null"/> if unknown.</summary>
    public bool? IsElsewhere(int cpu, NumaNodeId nodeId) =>
        (uint)cpu < (uint)_nodeOfCpu.Length && _nodeOfCpu[cpu] is not Unknown and var node ? node != nodeId.Value : null;
}
