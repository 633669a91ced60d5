using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Tool.Tune;

/// <summary>
/// Gives each queue of an interface a node and a CPU, so that packets are received where a loop serves their connection, and each
/// CPU a queue of its node to send with. Pure.
/// </summary>
internal sealed class QueuePlacement
{
    private readonly NumaTopology _topology;
    private readonly NumaNodePlan[] _nodes;
    private readonly int[] _shares;
    private readonly int[] _cpus;
    private readonly int[] _nodeOfQueue;

    /// <param name="plan">Which nodes run loops, and on which CPUs; at least one.</param>
    /// <param name="nodeId">The interface's node; <see langword="null"/> if it is unknown.</param>
    /// <param name="queues">How many queues it has; at least one.</param>
    /// <param name="taken">How many queues of other interfaces each node has: this one's begin at the next CPUs.</param>
    public QueuePlacement(NumaPlan plan, NumaNodeId? nodeId, int queues, IReadOnlyDictionary<NumaNodeId, int>? taken = null)
    {
        _topology = plan.Topology;
        _nodes = [.. plan.Nodes.Where(static node => node.Loops > 0)];
        if (nodeId is { } id)
        {
            _nodes = [.. _nodes.OrderBy(node => _topology.GetDistance(id, node.NodeId))];
        }

        _shares = Divide(queues, [.. _nodes.Select(static node => node.Loops)]);
        _nodeOfQueue = [.. _shares.SelectMany(static (share, index) => Enumerable.Repeat(index, share))];
        _cpus = [.. _nodes.SelectMany((node, index) => CpusOf(node, taken?.GetValueOrDefault(node.NodeId) ?? 0, _shares[index]))];
    }

    /// <summary>The nodes that run loops and have no queue: there are fewer queues than nodes.</summary>
    public IEnumerable<NumaNodeId> Without => _nodes.Where((_, index) => _shares[index] == 0).Select(static node => node.NodeId);

    /// <summary>The CPU that a queue's interrupt goes to.</summary>
    public int CpuOf(int queue) => _cpus[queue];

    public NumaNodeId NodeOf(int queue) => _nodes[_nodeOfQueue[queue]].NodeId;

    /// <summary>The CPUs of the queue's node, which may run what its packets need.</summary>
    public CpuSet NodeCpusOf(int queue) => OnlineCpus(NodeOf(queue));

    /// <summary>
    /// For each queue the CPUs that it serves. Each online CPU is in one set, or, where several queues share a CPU, in theirs.
    /// CPUs are with queues of their node; those of a node without a queue with the nearest node's.
    /// </summary>
    public IReadOnlyList<CpuSet> CpusByQueue()
    {
        var result = _cpus.Select(static cpu => new List<int> { cpu }).ToArray();
        var taken = _cpus.ToHashSet();
        foreach (var node in _topology.Nodes)
        {
            var queues = QueuesNear(node.Id);
            foreach (var cpu in node.OnlineCpus.Where(cpu => !taken.Contains(cpu)))
            {
                result[queues.MinBy(queue => Cost(cpu, queue, result[queue].Count))].Add(cpu);
            }
        }

        return [.. result.Select(static cpus => CpuSet.FromIds(cpus))];
    }

    /// <summary>
    /// Divides by weight, by the largest remainder (Hamilton's method). Each gets one at least, or, if there are too few, the
    /// first do.
    /// </summary>
    internal static int[] Divide(int count, int[] weights)
    {
        double total = weights.Sum();
        var exact = weights.Select(weight => count * weight / total).ToArray();
        var shares = exact.Select(static share => (int)share).ToArray();
        var left = count - shares.Sum();
        foreach (var index in Enumerable.Range(0, shares.Length).OrderByDescending(index => exact[index] % 1).Take(left))
        {
            shares[index]++;
        }

        // The first come first: with fewer queues than nodes these are the nearest.
        for (var index = 0; index < Math.Min(count, shares.Length); index++)
        {
            if (shares[index] == 0)
            {
                shares[index]++;
                shares[MostOf(shares, from: index)]--;
            }
        }

        return shares;
    }

    // Of several the last, and of those that have one none before it.
    private static int MostOf(int[] shares, int from) => Enumerable.Range(0, shares.Length)
        .Where(index => shares[index] > 1 || index > from)
        .MaxBy(index => (shares[index], index));

    // As a thread of the finest granularity would get them: cores before siblings, alternating between caches.
    private IEnumerable<int> CpusOf(NumaNodePlan node, int taken, int queues) =>
        new ThreadPlacement(_topology, NumaAffinityGranularity.Cpu, CpuSet.UnionOf(node.LoopCpus))
            .Spread(taken + queues)
            .Skip(taken)
            .Select(static cpus => cpus.First);

    private int[] QueuesNear(NumaNodeId nodeId)
    {
        var nearest = _nodes
            .Where((_, index) => _shares[index] > 0)
            .MinBy(node => node.NodeId == nodeId ? 0 : _topology.GetDistance(nodeId, node.NodeId))!;
        return [.. Enumerable.Range(0, _cpus.Length).Where(queue => NodeOf(queue) == nearest.NodeId)];
    }

    // The queue of the CPU's core, else of its cache, else the one with the fewest CPUs.
    private (bool, bool, int, int) Cost(int cpu, int queue, int count)
    {
        var home = _cpus[queue];
        return (
            _topology.FindCore(cpu) is not { } core || !core.Cpus.Contains(home),
            _topology.FindLastLevelCache(cpu) is not { } cache || !cache.Cpus.Contains(home),
            count,
            queue);
    }

    private CpuSet OnlineCpus(NumaNodeId nodeId) => _topology.FindNode(nodeId)!.OnlineCpus;
}
