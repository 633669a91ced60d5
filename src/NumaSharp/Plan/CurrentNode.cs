namespace NumaSharp.Core.Planning;

/// <summary>
/// The position in a plan of the node that the calling thread runs on. The system is asked only once in a while: pinned threads
/// do not move, and for the others a late answer costs locality, not correctness.
/// </summary>
internal sealed class CurrentNode
{
    private const int Uses = 64;

    [ThreadStatic]
    private static CurrentNode? t_owner;

    [ThreadStatic]
    private static int t_index;

    [ThreadStatic]
    private static int t_usesLeft;

    private readonly INumaAffinityProvider _affinity;
    private readonly NumaPlan _plan;
    private readonly int[] _indexOfCpu;

    public CurrentNode(NumaPlan plan, INumaAffinityProvider affinity)
        : this(plan, affinity, MapCpus(plan))
    {
    }

    private CurrentNode(NumaPlan plan, INumaAffinityProvider affinity, int[] indexOfCpu)
    {
        _plan = plan;
        _affinity = affinity;
        _indexOfCpu = indexOfCpu;
    }

    public int Index
    {
        get
        {
            if (_plan.Nodes.Count == 1)
            {
                return 0;
            }

            if (!ReferenceEquals(t_owner, this) || --t_usesLeft < 0)
            {
                t_index = Ask();
                t_usesLeft = Uses;
                t_owner = this;
            }

            return t_index;
        }
    }

    /// <summary>A new instance, for which every thread asks the system at its next use.</summary>
    public CurrentNode Invalidated() => new(_plan, _affinity, _indexOfCpu);

    private int Ask() => !_affinity.TryGetCurrent(out var cpu, out var nodeId).Succeeded ? 0
        : (uint)cpu < (uint)_indexOfCpu.Length && _indexOfCpu[cpu] >= 0 ? _indexOfCpu[cpu]
        : _plan.GetNearestNode(nodeId).NodeIndex;

    // CPUs that the plan leaves out map to the plan's node nearest to theirs.
    private static int[] MapCpus(NumaPlan plan)
    {
        var map = new int[plan.Topology.AllowedCpus.Last + 1];
        Array.Fill(map, -1);
        foreach (var node in plan.Topology.Nodes)
        {
            foreach (var cpu in node.Cpus)
            {
                map[cpu] = plan.GetNearestNode(node.Id).NodeIndex;
            }
        }

        return map;
    }
}
