namespace NumaSharp.Core.Planning;

/// <summary>
/// Where the threads of a node run. Replaced whenever they must be pinned again, even to the same CPUs: a thread that finds
/// another placement than the one it has followed follows it. Thread-safe.
/// </summary>
internal sealed class NodePlacement(
    NumaPlan plan, NumaNodePlan node, INumaAffinityProvider affinity, Action<NumaFallback> report)
{
    private readonly CpuSet _balanced = plan.BalancedOf(node.Cpus);
    private int _spares;
    private int _refused;

    public NumaNodePlan Node => node;

    /// <summary>
    /// Pins the calling thread as a worker; workers beyond the plan's run wherever the kernel balances threads.
    /// </summary>
    public void PinWorker(int index) => Pin(index < node.ThreadCpus.Count ? node.ThreadCpus[index] : NextSpareCpus());

    /// <summary>The CPUs of a worker; <see langword="null"/> for one beyond the plan's, and where nothing is pinned.</summary>
    public CpuSet? CpusOf(int index) => plan.IsEnabled && index < node.ThreadCpus.Count ? node.ThreadCpus[index] : null;

    /// <summary>Moves the calling thread to some of its CPUs, then lets it run on all of them again.</summary>
    public void MoveTo(CpuSet cpus, int index)
    {
        if (affinity.TrySetThreadCpus(cpus).Succeeded)
        {
            PinWorker(index);
        }
    }

    /// <summary>Pins the calling thread as one of a loop's.</summary>
    public void PinLoop(int index) => Pin(index < node.LoopCpus.Count ? node.LoopCpus[index] : NextSpareCpus());

    /// <summary>Pins the calling thread as a spare near some of the node's CPUs.</summary>
    public void PinSpare(CpuSet near) => Pin(near.Intersect(_balanced) is { IsEmpty: false } cpus ? cpus : NextSpareCpus());

    /// <summary>Pins the calling thread as a spare of the node's loops.</summary>
    public void PinSpare() => Pin(NextSpareCpus());

    // The kernel moves no thread between isolated CPUs: if there are no others, each thread gets one of them.
    private CpuSet NextSpareCpus()
    {
        if (!_balanced.IsEmpty)
        {
            return _balanced;
        }

        var turn = (uint)Interlocked.Increment(ref _spares) % (uint)node.Cpus.Count;
        return CpuSet.FromIds(node.Cpus.ElementAt((int)turn));
    }

    // A refusal is reported once per placement: it is the same for all threads of a node.
    private void Pin(CpuSet cpus)
    {
        if (!plan.IsEnabled)
        {
            return;
        }

        var result = affinity.TrySetThreadCpus(cpus);
        if (!result.Succeeded && Interlocked.Exchange(ref _refused, 1) == 0)
        {
            report(new NumaFallback(
                FallbackCatalog.AffinityPin,
                $"Threads of node {node.NodeId} cannot be pinned to CPUs {cpus} ({result.ErrorName}): they run on any CPU "
                + "that the process may use.",
                node.NodeId));
        }
    }
}
