using NumaSharp.Core;

namespace NumaSharp.Playground.Cluster;

/// <summary>A machine that pods take CPUs of, as the kubelet's static CPU manager gives them: for themselves, for good.</summary>
internal sealed class ClusterMachine(MachineShape shape)
{
    private readonly CpuSet[] _free = [.. Enumerable.Range(0, shape.Nodes).Select(shape.CpusOf)];

    public int FreeCpus => _free.Sum(static free => free.Count);

    /// <summary>
    /// The topology manager's <c>single-numa-node</c>: of the fullest node that has enough; <see langword="null"/> if none has.
    /// </summary>
    public CpuSet? TryTakeOfOneNode(int count)
    {
        var best = -1;
        for (var node = 0; node < _free.Length; node++)
        {
            if (_free[node].Count >= count && (best < 0 || _free[node].Count < _free[best].Count))
            {
                best = node;
            }
        }

        return best < 0 ? null : Take(best, count);
    }

    /// <summary><c>best-effort</c>: of one node where one has enough, otherwise of as few as can be.</summary>
    public CpuSet? TryTake(int count)
    {
        if (FreeCpus < count)
        {
            return null;
        }

        if (TryTakeOfOneNode(count) is { } whole)
        {
            return whole;
        }

        var taken = CpuSet.Empty;
        foreach (var node in Enumerable.Range(0, _free.Length).OrderByDescending(node => _free[node].Count).ToArray())
        {
            taken = taken.Union(Take(node, Math.Min(_free[node].Count, count - taken.Count)));
            if (taken.Count == count)
            {
                break;
            }
        }

        return taken;
    }

    private CpuSet Take(int node, int count)
    {
        var cpus = CpuSet.FromIds(_free[node].Take(count));
        _free[node] = _free[node].Except(cpus);
        return cpus;
    }
}
