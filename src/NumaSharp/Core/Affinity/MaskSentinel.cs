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
        _expected = null;
        if (plan.IsEnabled && plan.Cpus.Count > 1
            && affinity.TrySetThreadCpus(plan.Cpus.Except(CpuSet.FromIds(plan.Cpus.Last))).Succeeded)
        {
            _expected = affinity.TryGetThreadCpus();
        }
    }

    public bool IsIntact => _expected is null || affinity.TryGetThreadCpus()?.Equals(_expected) != false;
}
