using NumaSharp.Core;

namespace NumaSharp.Playground.Cluster;

/// <summary>Pods on the machines of a cluster, one after the other, each on the first machine that takes it.</summary>
internal sealed class PodPlacement
{
    private readonly List<ClusterMachine> _machines = [];
    private readonly List<CpuSet> _pods = [];
    private readonly MachineShape _shape;

    private PodPlacement(MachineShape shape) => _shape = shape;

    /// <summary>The CPUs of each pod that was placed.</summary>
    public IReadOnlyList<CpuSet> Pods => _pods;

    /// <summary>How many pods no machine of this shape could take.</summary>
    public int Refused { get; private set; }

    public int Machines => _machines.Count;

    /// <summary>How many pods have CPUs of several nodes.</summary>
    public int Spanning => _pods.Count(pod => pod.First / _shape.CpusPerNode != pod.Last / _shape.CpusPerNode);

    /// <summary>The share of all CPUs that no pod has.</summary>
    public double FreeShare =>
        _machines.Sum(static machine => (double)machine.FreeCpus) / (_machines.Count * _shape.Nodes * _shape.CpusPerNode);

    /// <param name="shape">The machines'; there are as many as it takes.</param>
    /// <param name="sizes">How many CPUs each pod asks for.</param>
    /// <param name="mustBeOneNode">Whether a pod that does not fit on a node is sent to another machine.</param>
    public static PodPlacement Of(MachineShape shape, IEnumerable<int> sizes, bool mustBeOneNode)
    {
        var placement = new PodPlacement(shape);
        foreach (var size in sizes)
        {
            placement.Place(size, mustBeOneNode);
        }

        return placement;
    }

    private void Place(int size, bool mustBeOneNode)
    {
        if (size > (mustBeOneNode ? _shape.CpusPerNode : _shape.CpusPerNode * _shape.Nodes))
        {
            Refused++;
            return;
        }

        foreach (var machine in _machines)
        {
            if ((mustBeOneNode ? machine.TryTakeOfOneNode(size) : machine.TryTake(size)) is { } cpus)
            {
                _pods.Add(cpus);
                return;
            }
        }

        var next = new ClusterMachine(_shape);
        _machines.Add(next);
        _pods.Add((mustBeOneNode ? next.TryTakeOfOneNode(size) : next.TryTake(size))!);
    }
}
