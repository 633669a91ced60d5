namespace NumaSharp.Core.Affinity;

/// <summary>
/// Tells whether somebody has rewritten the masks of the process's threads although the machine looks as before: taskset -a,
/// or a cpuset that shrank and grew again between two looks (kernels before 6.2 give every thread the whole cpuset then).
/// One thread is pinned to fewer CPUs than it might use and looks whether it still is. Belongs to that thread.
/// </summary>
internal sealed class MaskSentinel(INumaAffinityProvider affinity)
{
    private CpuSet? _expected;

    public void Arm(NumaPlan plan)
    {
        var cpus = plan.CommonOf(plan.Cpus);
        var fewer = cpus.Count > 1 ? cpus.Except(CpuSet.FromIds(cpus.Last)) : cpus;
        var isPinned = plan.IsEnabled && affinity.TrySetThreadCpus(fewer).Succeeded;
        _expected = isPinned ? affinity.TryGetThreadCpus() : null;
    }

    public bool IsIntact => _expected is null || affinity.TryGetThreadCpus()?.Equals(_expected) != false;
}
