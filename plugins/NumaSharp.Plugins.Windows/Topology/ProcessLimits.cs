using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>
/// The CPUs that this process may use: its affinity mask, its job (a container), its default CPU sets. Limits of the calling
/// thread alone do not count. A limit that leaves no CPU is ignored, since the process is running.
/// </summary>
internal sealed class ProcessLimits(IProcessorCalls calls, CpuSet active)
{
    public CpuSet ReadAllowed()
    {
        var allowed = active;
        allowed = Narrow(allowed, ReadAffinity());
        allowed = Narrow(allowed, ReadJob());
        return Narrow(allowed, ReadDefaultCpuSets());
    }

    private static CpuSet Narrow(CpuSet allowed, CpuSet? limit) =>
        limit is not null && allowed.Overlaps(limit) ? allowed.Intersect(limit) : allowed;

    // A mask of the whole group is no limit: threads may be moved to other groups. Both are 0 for a process with threads in
    // several groups; its affinity can no longer be set (SetProcessAffinityMask).
    private CpuSet? ReadAffinity() =>
        calls.GetProcessAffinityMask(out var process, out var system) == Win32Error.ERROR_SUCCESS
        && process != 0
        && process != system
        && ReadGroup() is { } group
            ? CpuNumbers.SetOf(new GroupAffinity(group, process))
            : null;

    // The only group of the process, or of the machine if the system cannot report it (Wine).
    private ushort? ReadGroup()
    {
        Span<ushort> groups = stackalloc ushort[1];
        var error = calls.GetProcessGroupAffinity(groups, out var count);
        if (error == Win32Error.ERROR_SUCCESS)
        {
            return count == 1 ? groups[0] : null;
        }

        return error != Win32Error.ERROR_INSUFFICIENT_BUFFER && CpuNumbers.AffinitiesOf(active) is [var only]
            ? only.Group
            : null;
    }

    // A job's mask of 0 means all CPUs of the group (JobObjectGroupInformationEx).
    private CpuSet? ReadJob()
    {
        if (GroupMasks.Read(calls.GetJobGroupAffinity, out var masks) != Win32Error.ERROR_SUCCESS)
        {
            return null;
        }

        var cpus = CpuSet.Empty;
        foreach (var mask in masks)
        {
            cpus = cpus.Union(CpuNumbers.SetOf(mask.Mask != 0 ? mask : new GroupAffinity(mask.Group, ulong.MaxValue)));
        }

        return cpus;
    }

    private CpuSet? ReadDefaultCpuSets() =>
        GroupMasks.Read(calls.GetProcessDefaultCpuSetMasks, out var masks) == Win32Error.ERROR_SUCCESS
            ? CpuNumbers.SetOf(masks)
            : null;
}
