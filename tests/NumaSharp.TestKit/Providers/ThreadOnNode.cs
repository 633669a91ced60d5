using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// Affinity in which each thread says where it runs. Not a SimulatedMachine, which records each question under a lock: threads
/// that a test lets race would wait for one another there.
/// </summary>
public sealed class ThreadOnNode : INumaAffinityProvider
{
    private readonly ThreadLocal<NumaNodeId> _node = new();
    private readonly ThreadLocal<long> _questions = new();

    public string Name => "ThreadOnNode";

    /// <summary>The node of the calling thread, whose only CPU has the same id.</summary>
    public NumaNodeId NodeId
    {
        get => _node.Value;
        set => _node.Value = value;
    }

    /// <summary>How often the calling thread has been asked where it runs.</summary>
    public long Questions => _questions.Value;

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = CpuSet.FromIds(NodeId.Value);
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        NodeId = new(cpus.First);
        return NumaResult.Success;
    }

    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        _questions.Value++;
        (cpu, nodeId) = (NodeId.Value, NodeId);
        return NumaResult.Success;
    }
}
