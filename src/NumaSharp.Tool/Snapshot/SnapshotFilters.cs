using System.Text;
using System.Text.RegularExpressions;
using NumaSharp.Tool.Commands;

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

/// <summary>Removes the hardware address from names that systemd derives from it: enx001122334455 becomes enx-1.</summary>
internal sealed partial class SnapshotNames
{
    private readonly Dictionary<string, string> _names = new(StringComparer.Ordinal);

    public string Of(string path) => AddressInPath().Replace(path, Replace);

    /// <summary>As <see cref="Of"/>, for a file that names interfaces anywhere in its text.</summary>
    public byte[] OfText(byte[] content) =>
        Encoding.Latin1.GetBytes(AddressInText().Replace(Encoding.Latin1.GetString(content), Replace));

    private string Replace(Match match)
    {
        if (!_names.TryGetValue(match.Value, out var name))
        {
            name = $"{match.Groups[1].Value}-{ToolText.Number(_names.Count + 1)}";
            _names.Add(match.Value, name);
        }

        return name;
    }

    [GeneratedRegex("(?<=^sys/class/net/)([a-z]{2}x)[0-9a-f]{12}(?=/|$)", RegexOptions.None, 1000)]
    private static partial Regex AddressInPath();

    [GeneratedRegex("(?<![0-9A-Za-z])([a-z]{2}x)[0-9a-f]{12}(?![0-9A-Za-z])", RegexOptions.None, 1000)]
    private static partial Regex AddressInText();
}
