namespace NumaSharp.Core.Planning;

/// <summary>
/// Detects that the masks of the process's threads were rewritten although the machine looks unchanged: by taskset -a, or by a
/// cpuset that shrank and grew again between two checks (kernels before 6.2 give every thread the whole cpuset then). One thread
/// is pinned to fewer CPUs than it might use and checks whether it still is. Belongs to that thread.
/// </summary>
internal sealed class MaskSentinel(INumaAffinityProvider affinity, TimeProvider time)
{
    // taskset -a changes one thread at a time, so other threads may change after this one, long after it on a busy machine. So
    // there is reason again after twice the time, and again, until this much time has passed.
    private static readonly TimeSpan s_settling = TimeSpan.FromMinutes(1);

    private CpuSet? _expected;
    private long _noticed = time.GetTimestamp();
    private TimeSpan? _next = TimeSpan.Zero;

    /// <summary>Starts over: masks have changed for a reason that was detected elsewhere.</summary>
    public void Unsettle() => (_noticed, _next) = (time.GetTimestamp(), TimeSpan.Zero);

    public void Arm(NumaPlan plan)
    {
        var cpus = plan.CommonOf(plan.Cpus);
        var fewer = cpus.Count > 1 ? cpus.Except(CpuSet.FromIds(cpus.Last)) : cpus;
        var isPinned = plan.IsEnabled && affinity.TrySetThreadCpus(fewer).Succeeded;
        _expected = isPinned ? affinity.TryGetThreadCpus() : null;
    }

    /// <summary>
    /// Whether masks may have been rewritten: now, or so recently, or so shortly before it was armed, that the rewriting may
    /// still be in progress.
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
