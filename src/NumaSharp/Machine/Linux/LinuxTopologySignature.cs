namespace NumaSharp.Core.Linux;

/// <summary>
/// The few files that change when a reading of this machine does: online CPUs and nodes, memory, isolated CPUs, and the main
/// thread's masks. The kernel keeps these masks within the cpuset, and narrows and widens them with it (cpuset(7), "CPUs and
/// memory nodes"), so that mount table and cpusets need not be read. A cpuset partition that becomes isolated takes its CPUs from
/// all other cpusets, which shows in the masks; within the partition itself only its own file changes, and those of the groups
/// above it. Their paths are known from the last reading.
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

    /// <summary>Reads them on this machine; <see langword="null"/> where the masks cannot be read.</summary>
    public static string? Read(MachineFiles files, IReadOnlyList<string> partitionFiles)
    {
        // A new CPU is online some time before the scheduler uses it, and only this mask leaves it out until then.
        ThreadMask.Read(Environment.ProcessId, out var runnable);
        var status = files.Proc.Read("self/status").Text;
        return KernelText.TryFindField(status, "Cpus_allowed_list", out var cpus)
            && KernelText.TryFindField(status, "Mems_allowed_list", out var memory)
                ? string.Join(
                    '\n',
                    [
                        .. s_files.Select(file => files.Sysfs.Read(file).Text),
                        $"{cpus}",
                        $"{memory}",
                        $"{runnable}",
                        .. ReadPartition(files, partitionFiles),
                    ])
                : null;
    }

    // Includes the process's group: a process that is moved to another group has other files.
    private static IEnumerable<string> ReadPartition(MachineFiles files, IReadOnlyList<string> partitionFiles) =>
        partitionFiles.Count == 0 ? [] :
        [
            files.Proc.Read("self/cgroup").Text,
            .. partitionFiles.Select(file =>
            {
                var (reader, relative) = files.Resolve(file);
                return reader.Read(relative).Text;
            }),
        ];
}
