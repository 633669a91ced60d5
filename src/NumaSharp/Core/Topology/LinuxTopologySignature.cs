using NumaSharp.Core.Affinity;

namespace NumaSharp.Core.Topology;

/// <summary>
/// The few files whose content changes when a reading of this machine does: online CPUs and nodes, memory, isolated CPUs, and
/// the main thread's masks. The kernel keeps these masks within the cpuset, and narrows and widens them with it
/// (cpuset(7), "CPUs and memory nodes"), so that mount table and cgroup files need not be read. A cpuset partition that becomes
/// isolated takes its CPUs from all others, whose masks tell; only within the partition itself nothing is seen of it.
/// </summary>
internal static class LinuxTopologySignature
{
    private static readonly string[] s_files =
    [
        "devices/system/cpu/online",
        "devices/system/cpu/isolated",
        "devices/system/node/online",
        "devices/system/node/has_memory",
    ];

    /// <summary>Reads them; <see langword="null"/> for a captured machine, and where the masks cannot be read.</summary>
    public static string? Read(MachineFiles files)
    {
        if (!files.IsLive)
        {
            return null;
        }

        // A CPU that comes is online some time before the scheduler uses it, and only this mask leaves it out until then.
        ThreadMask.Read(Environment.ProcessId, out var runnable);
        var status = files.Proc.Read("self/status").Text;
        return KernelText.TryFindField(status, "Cpus_allowed_list", out var cpus)
            && KernelText.TryFindField(status, "Mems_allowed_list", out var memory)
                ? string.Join('\n', [.. s_files.Select(file => files.Sysfs.Read(file).Text), $"{cpus}", $"{memory}", $"{runnable}"])
                : null;
    }
}
