using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Snapshot;

/// <summary>
/// The complete list of captured files: those that the topology's reader, the doctor and tune read. A star stands for any name of
/// one folder; a path that ends at a folder captures its name.
/// </summary>
internal static class SnapshotPaths
{
    private const string Cpu = "sys/devices/system/cpu";
    private const string Node = "sys/devices/system/node";

    /// <summary>The network interfaces with hardware behind them.</summary>
    public const string NetworkDevices = "sys/class/net/*/device";

    public static IReadOnlyList<string> Patterns { get; } =
    [
        .. Below(Cpu, "online", "offline", "possible", "present", "isolated", "nohz_full"),
        .. Below($"{Cpu}/cpu*", "", "online", "node*"),
        .. Below(
            $"{Cpu}/cpu*/topology",
            "physical_package_id", "die_id", "cluster_id", "core_id",
            "thread_siblings", "thread_siblings_list", "core_siblings", "core_siblings_list",
            "core_cpus", "core_cpus_list", "package_cpus", "package_cpus_list"),
        .. Below(
            $"{Cpu}/cpu*/cache/index*",
            "id", "level", "type", "size", "shared_cpu_map", "shared_cpu_list"),
        .. Below($"{Cpu}/cpu*/cpufreq", "scaling_driver", "scaling_governor"),
        .. Below(Node, "online", "possible", "has_cpu", "has_memory", "has_normal_memory", "has_generic_initiator"),
        .. Below($"{Node}/node*", "", "hugepages", "cpumap", "cpulist", "distance", "meminfo", "numastat"),
        .. Below($"{Node}/node*/hugepages/hugepages-*", "nr_hugepages", "free_hugepages"),
        .. Below("sys/kernel/mm/hugepages", "", "hugepages-*/nr_hugepages", "hugepages-*/free_hugepages"),
        .. Below(
            $"{Node}/node*/access*/initiators",
            "", "read_latency", "write_latency", "read_bandwidth", "write_bandwidth", "node*"),
        .. Below("sys/devices/virtual/memory_tiering/memory_tier*", "nodelist"),
        .. Below("sys/kernel/mm/mempolicy/weighted_interleave", "node*", "auto"),
        NetworkDevices,
        .. Below("sys/kernel/mm/transparent_hugepage", "enabled", "defrag"),
        "sys/kernel/mm/numa/demotion_enabled",
        "proc/meminfo",
        "proc/driver/nvidia/gpus/*/numa_status",
        .. Below("proc/sys/kernel", "numa_balancing", "osrelease"),
        .. Below("proc/sys/vm", "zone_reclaim_mode", "overcommit_memory", "overcommit_ratio"),
        "proc/net/softnet_stat",
        .. Below("proc/sys/net/core", "somaxconn", "rps_sock_flow_entries"),
    ];

    /// <summary>The captured files of each network interface with hardware behind it.</summary>
    public static IReadOnlyList<string> OfInterface { get; } =
    [
        NetworkQueues.State, NetworkQueues.DeferInterrupts, NetworkQueues.FlushTimeout,
        .. Below("queues/rx-*", "", NetworkQueues.SpreadCpus, NetworkQueues.FlowCount),
        .. Below("queues/tx-*", "", NetworkQueues.SendCpus, NetworkQueues.TrafficClass),
    ];

    /// <summary>The captured files of each interrupt of a network device.</summary>
    public static IReadOnlyList<string> OfInterrupt { get; } = ["effective_affinity_list", "smp_affinity_list", "node"];

    /// <summary>The captured files of the process's cgroup and its ancestors.</summary>
    public static IReadOnlyList<string> OfCpuset { get; } =
    [
        .. Resources("cpus"), .. Resources("mems"), "cpuset.cpus.exclusive.effective", "cpuset.cpus.partition",
        "cpuset.cpus.isolated",
    ];

    private static IEnumerable<string> Below(string folder, params string[] names) =>
        names.Select(name => name.Length == 0 ? folder : $"{folder}/{name}");

    // Version 2, version 1 with and without its prefix.
    private static IEnumerable<string> Resources(string name) =>
        [$"cpuset.{name}", $"cpuset.{name}.effective", $"cpuset.effective_{name}", name, $"effective_{name}"];
}
