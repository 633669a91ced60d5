namespace NumaSharp.Core.Affinity;

/// <summary>
/// Where the threads of a node are to run. Made anew whenever they must be pinned again, also to the same CPUs: a thread that
/// finds another placement than the one it has followed follows it. Thread-safe.
/// </summary>
internal sealed class NodePlacement(
    NumaNodePlan node, bool isPinned, INumaAffinityProvider affinity, Action<NumaFallback> report)
{
    private int _refused;

    public NumaNodePlan Node => node;

    /// <summary>Pins the calling thread as a worker; those beyond the plan's run on all CPUs of the node.</summary>
    public void PinWorker(int index) => Pin(index < node.ThreadCpus.Count ? node.ThreadCpus[index] : node.Cpus);

    /// <summary>Pins the calling thread as one of a loop's.</summary>
    public void PinLoop(int index) => Pin(index < node.LoopCpus.Count ? node.LoopCpus[index] : node.Cpus);

    // A refusal is reported once per placement: all threads of a node meet the same one.
    private void Pin(CpuSet cpus)
    {
        if (!isPinned)
        {
            return;
        }

        var result = affinity.TrySetThreadCpus(cpus);
        if (!result.Succeeded && Interlocked.Exchange(ref _refused, 1) == 0)
        {
            report(new NumaFallback(
                ThreadAffinity.PinFeature,
                $"Threads of node {node.NodeId} cannot be pinned to CPUs {cpus} ({result.ErrorName}): they run on any CPU that "
                + "the process may use. Allow sched_setaffinity(2), or set Numa:Enabled to false.",
                node.NodeId));
        }
    }
}
