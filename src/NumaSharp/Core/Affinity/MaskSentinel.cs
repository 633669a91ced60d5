namespace NumaSharp.Core.Affinity;

/// <summary>
/// Tells whether somebody has rewritten the masks of the process's threads although the machine looks as before: taskset -a,
/// or a cpuset that shrank and grew again between two looks (kernels before 6.2 give every thread the whole cpuset then).
/// One thread is pinned to fewer CPUs than it might use and looks whether it still is. Belongs to that thread.
/// </summary>
internal sealed class MaskSentinel(INumaAffinityProvider affinity, TimeProvider time)
{
    // Who rewrites masks goes from thread to thread: those of others may follow after this one's, long after it on a machine that
    // is busy. So there is reason again after twice the time, and again, until so long has passed.
    private static readonly TimeSpan s_settling = TimeSpan.FromMinutes(1);

    private CpuSet? _expected;
    private long _noticed = time.GetTimestamp();
    private TimeSpan? _next = TimeSpan.Zero;

    /// <summary>Masks have changed for a reason that shows elsewhere, too.</summary>
    public void Unsettle() => (_noticed, _next) = (time.GetTimestamp(), TimeSpan.Zero);

    public void Arm(NumaPlan plan)
    {
        var cpus = plan.CommonOf(plan.Cpus);
        var fewer = cpus.Count > 1 ? cpus.Except(CpuSet.FromIds(cpus.Last)) : cpus;
        var isPinned = plan.IsEnabled && affinity.TrySetThreadCpus(fewer).Succeeded;
        _expected = isPinned ? affinity.TryGetThreadCpus() : null;
    }

    /// <summary>
    /// Whether masks may have been rewritten: now, or so shortly before, or before it was armed, that the rewriting was perhaps
    /// not at its end.
    /// </summary>
    public bool HasReason()
    {
        if (_expected is null)
        {
            return false;
        }

        if (affinity.TryGetThreadCpus()?.Equals(_expected) == false)
        {
            Unsettle();
            return true;
        }

        var elapsed = time.GetElapsedTime(_noticed);
        if (_next is not { } next || elapsed < next)
        {
            return false;
        }

        _next = elapsed < s_settling ? 2 * elapsed : null;
        return true;
    }
}
