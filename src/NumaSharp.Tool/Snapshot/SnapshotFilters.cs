using System.Text;

namespace NumaSharp.Tool.Snapshot;

/// <summary>Removes what reveals more than the machine's shape: addresses, hosts, commands, file systems.</summary>
internal static class SnapshotFilters
{
    private static readonly string[] s_parameters =
    [
        "cgroup_no_v1", "default_hugepagesz", "hugepages", "hugepagesz", "irqaffinity", "isolcpus", "kernelcore", "maxcpus",
        "movablecore", "nohz_full", "nosmt", "nr_cpus", "numa", "numa_balancing", "possible_cpus", "rcu_nocbs",
        "systemd.unified_cgroup_hierarchy", "transparent_hugepage",
    ];

    private static readonly string[] s_fields =
        ["Cpus_allowed", "Cpus_allowed_list", "Mems_allowed", "Mems_allowed_list", "Seccomp"];

    private static readonly string[] s_controllers = ["cpu", "cpuset", "memory"];

    /// <summary>The kernel's command line: parameters of CPUs and memory.</summary>
    public static byte[] CommandLine(byte[] content) => Encoding.Latin1.GetBytes(string.Join(
        ' ',
        Encoding.Latin1.GetString(content).Split(' ', '\n', '\t')
            .TakeWhile(static word => word != "--")
            .Where(static word => s_parameters.Contains(word.Trim('"').Split('=')[0], StringComparer.Ordinal))) + "\n");

    /// <summary>A process's status: the resources it may use.</summary>
    public static byte[] Status(byte[] content) =>
        Lines(content, static line => s_fields.Contains(line.Split(':')[0], StringComparer.Ordinal));

    /// <summary>The mount table: cgroup file systems.</summary>
    public static byte[] Mounts(byte[] content) =>
        Lines(content, static line => line.Split(' ') is [_, _, "cgroup" or "cgroup2" or "cpuset", ..]);

    /// <summary>A process's cgroups: version 2, and those of CPUs and memory.</summary>
    public static byte[] Cgroups(byte[] content) => Lines(content, static line =>
        line.Split(':', 3) is [var id, var names, _]
        && ((id == "0" && names.Length == 0)
            || names.Split(',').Any(static name => s_controllers.Contains(name, StringComparer.Ordinal))));

    private static byte[] Lines(byte[] content, Func<string, bool> keep) => Encoding.Latin1.GetBytes(string.Concat(
        Encoding.Latin1.GetString(content).Split('\n').Where(keep).Select(static line => line + "\n")));
}
