namespace NumaSharp.Core.Memory;

/// <summary>
/// The CPUs to touch memory from. Another object for each plan, also for the same CPUs: threads pin themselves again then.
/// </summary>
internal sealed class TouchPlace(CpuSet cpus)
{
    public CpuSet Cpus => cpus;
}
