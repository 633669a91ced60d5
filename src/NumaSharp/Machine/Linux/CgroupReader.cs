using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>
/// Finds the cgroups of this process that can have a controller's files (cgroups(7), cgroup_namespaces(7)).
/// </summary>
internal sealed class CgroupReader(MachineFiles files, TopologyWarnings warnings, string controller)
{
    public const string Cpuset = MountTable.Cpuset;
    public const string Memory = "memory";

    private const int MaxMounts = 16;

    /// <summary>The mounted hierarchies, each with the path of this process's cgroup in it.</summary>
    public IEnumerable<(CgroupMount Mount, string Path)> FindHierarchies()
    {
        var mounts = files.Mounts;
        if (!mounts.Succeeded)
        {
            warnings.AddUnlessMissing(mounts, "no cgroup limits are read");
            return [];
        }

        return MountTable.Find(mounts.Text, controller).Take(MaxMounts)
            .Select(mount => (mount, FindPath(mount)));
    }

    private string FindPath(CgroupMount mount)
    {
        var cgroup = files.Cgroups;
        if (!cgroup.Succeeded)
        {
            warnings.AddUnlessMissing(cgroup, "the file cpuset beside it is read instead");
        }

        if (CgroupPath.TryFind(cgroup.Text, controller, mount.IsVersion2, out var path))
        {
            return Checked(cgroup, path);
        }

        var cpuset = files.Proc.Read("self/cpuset");
        return cpuset.Succeeded ? Checked(cpuset, cpuset.Text) : "/";
    }

    private string Checked(FileReading source, string path)
    {
        if (CgroupPath.IsVisible(path))
        {
            return path;
        }

        warnings.Add(
            $"{source.Path}: '{NumaTopologyException.Quote(path)}' is outside of the visible hierarchy; its root is used.");
        return "/";
    }
}

/// <summary>A mounted cgroup hierarchy that can have a controller's files.</summary>
/// <param name="Point">The mount point, as the mount table has it.</param>
/// <param name="IsVersion2">Whether it is the unified hierarchy.</param>
/// <param name="PrefersEffective">
/// Whether a cpuset's configured masks may name what does not exist (version 2, or version 1 mounted with cpuset_v2_mode): then
/// only the effective ones count. Elsewhere in version 1 the configured masks rule (cpuset(7)).
/// </param>
internal readonly record struct CgroupMount(string Point, bool IsVersion2, bool PrefersEffective)
{
    /// <summary>
    /// The folder of a cgroup and those of its ancestors, innermost first: limits may be set on an ancestor only, and a container
    /// may see the host's path and a mount of its own that lacks it.
    /// </summary>
    public IEnumerable<string> FoldersOf(string path)
    {
        var directory = path.TrimEnd('/');
        while (true)
        {
            yield return Point + directory;
            if (directory.Length == 0)
            {
                break;
            }

            directory = directory[..directory.LastIndexOf('/')].TrimEnd('/');
        }
    }
}

/// <summary>Finds a process's cgroup in /proc/self/cgroup (cgroups(7)): lines of "hierarchy:controllers:path".</summary>
internal static class CgroupPath
{
    private const int MaxLength = 4096;

    /// <summary>
    /// Whether a path can be below a mount: ".." stands for a cgroup outside of the process's cgroup namespace
    /// (cgroup_namespaces(7)).
    /// </summary>
    public static bool IsVisible(string path) =>
        path.StartsWith('/') && path.Length <= MaxLength && !path.Split('/').Contains("..");

    public static bool TryFind(
        ReadOnlySpan<char> text, string controller, bool isVersion2, [NotNullWhen(true)] out string? path)
    {
        foreach (var line in text.EnumerateLines())
        {
            var first = line.IndexOf(':');
            var second = first < 0 ? -1 : line[(first + 1)..].IndexOf(':');
            if (second < 0)
            {
                continue;
            }

            var controllers = line.Slice(first + 1, second);
            if (isVersion2 ? line.StartsWith("0::", StringComparison.Ordinal) : Has(controllers, controller))
            {
                path = line[(first + second + 2)..].ToString();
                return true;
            }
        }

        path = null;
        return false;
    }

    private static bool Has(ReadOnlySpan<char> controllers, string controller)
    {
        foreach (var range in controllers.Split(','))
        {
            if (controllers[range].SequenceEqual(controller))
            {
                return true;
            }
        }

        return false;
    }
}

/// <summary>
/// Finds the cpuset of this process in the cgroup file systems (cpuset(7); cgroup-v2.rst, "Cpuset"). A cgroup without a cpuset of
/// its own has its parent's: this also covers a container that sees the host's path and its own mount.
/// </summary>
internal sealed class CpusetReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Instead = "the parent's cpuset is used";

    private static readonly string[] s_version2 = ["cpuset.{0}.effective"];
    private static readonly string[] s_configured = ["cpuset.{0}", "{0}", "cpuset.effective_{0}", "effective_{0}"];
    private static readonly string[] s_effective = ["cpuset.effective_{0}", "effective_{0}", "cpuset.{0}", "{0}"];

    private readonly PartitionReader _partitions = new(files, warnings);

    public CpusetLimits Read()
    {
        CpusetLimit? cpus = null;
        CpusetLimit? mems = null;
        var isolated = CpuSet.Empty;
        foreach (var (mount, path) in new CgroupReader(files, warnings, CgroupReader.Cpuset).FindHierarchies())
        {
            cpus ??= Find(mount, path, "cpus");
            mems ??= Find(mount, path, "mems");
            isolated = mount.IsVersion2 ? isolated.Union(_partitions.Read(mount, path)) : isolated;
        }

        return new CpusetLimits(cpus, mems, isolated, _partitions.Files);
    }

    private CpusetLimit? Find(CgroupMount mount, string path, string resource)
    {
        var names = mount.IsVersion2 ? s_version2 : mount.PrefersEffective ? s_effective : s_configured;
        return mount.FoldersOf(path)
            .SelectMany(folder => names.Select(name => $"{folder}/{name.Replace("{0}", resource, StringComparison.Ordinal)}"))
            .Select(ReadList)
            .FirstOrDefault(static limit => limit is not null);
    }

    private CpusetLimit? ReadList(string path)
    {
        var (reader, relative) = files.Resolve(path);
        var reading = reader.Read(relative);
        if (!reading.Succeeded || !KernelText.TryParseList(reading.Text, out var set))
        {
            warnings.AddUnlessMissing(reading, Instead);
            return null;
        }

        // Empty means "not set here": no task can be in a cpuset without CPUs or nodes.
        return set.IsEmpty ? null : new CpusetLimit(set, reading.Path);
    }
}

/// <summary>The CPUs and memory nodes that a process is confined to; <see langword="null"/> without such a limit.</summary>
/// <param name="Cpus">The CPUs.</param>
/// <param name="Mems">The memory nodes.</param>
/// <param name="Isolated">The CPUs of isolated partitions, as far as the process sees them.</param>
/// <param name="PartitionFiles">The files that show whether the process is in such a partition, existing or not.</param>
internal readonly record struct CpusetLimits(
    CpusetLimit? Cpus, CpusetLimit? Mems, CpuSet Isolated, IReadOnlyList<string> PartitionFiles);

/// <summary>Ids that a process is confined to, and the file that says so.</summary>
internal sealed record CpusetLimit(CpuSet Ids, string Source);

/// <summary>
/// Finds the CPUs of isolated cpuset partitions (cgroup-v2.rst, "cpuset.cpus.partition"); version 1 has no such thing.
/// </summary>
internal sealed class PartitionReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Isolated = "isolated";
    private const string Root = "root";

    private readonly List<string> _files = [];

    /// <summary>The files read for the partition of this process: paths of the machine, existing or not.</summary>
    public IReadOnlyList<string> Files => _files;

    /// <summary>
    /// The root cgroup's list for the machine and, for a container that does not see it, the partition of this process.
    /// </summary>
    /// <param name="mount">The version 2 hierarchy.</param>
    /// <param name="path">The cgroup of this process in it.</param>
    public CpuSet Read(CgroupMount mount, string path) =>
        ReadList($"{mount.Point}/cpuset.cpus.isolated").Union(ReadOwn(mount, path));

    // A member has the CPUs of the partition above it. A partition that is not valid counts as a member.
    private CpuSet ReadOwn(CgroupMount mount, string path)
    {
        foreach (var folder in mount.FoldersOf(path))
        {
            var file = $"{folder}/cpuset.cpus.partition";
            _files.Add(file);
            var (reader, relative) = files.Resolve(file);
            var partition = reader.Read(relative).Text;
            if (partition == Isolated)
            {
                return ReadList($"{folder}/cpuset.cpus.effective");
            }

            // The root of a container's mount has such a file, the system's root cgroup does not.
            if (partition == Root)
            {
                break;
            }
        }

        return CpuSet.Empty;
    }

    private CpuSet ReadList(string path)
    {
        var (reader, relative) = files.Resolve(path);
        var reading = reader.Read(relative);
        if (reading.Succeeded && KernelText.TryParseList(reading.Text, out var cpus))
        {
            return cpus;
        }

        warnings.AddUnlessMissing(reading, "it isolates no CPU");
        return CpuSet.Empty;
    }
}

/// <summary>
/// Finds how much memory the cgroup of this process leaves it (cgroup-v2.rst, "Memory"; cgroup-v1/memory.rst). Every
/// ancestor's limit holds, too.
/// </summary>
internal sealed class MemoryLimitReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Unlimited = "max";

    // Version 1 reports "no limit" as the most pages that its counter can hold (page_counter.h), of up to 64 KiB.
    private const long UnlimitedBytes = long.MaxValue & ~0xFFFFL;

    /// <summary>The smallest limit in bytes; 0 where there is none.</summary>
    public long Read()
    {
        var limits = new CgroupReader(files, warnings, CgroupReader.Memory).FindHierarchies()
            .SelectMany(static found => found.Mount.FoldersOf(found.Path)
                .Select(folder => $"{folder}/{CgroupReader.Memory}.{(found.Mount.IsVersion2 ? "max" : "limit_in_bytes")}"))
            .Select(ReadLimit)
            .ToArray();
        return limits.Where(static limit => limit > 0).DefaultIfEmpty().Min();
    }

    private long ReadLimit(string path)
    {
        var (reader, relative) = files.Resolve(path);
        var reading = reader.Read(relative);
        if (reading.Succeeded && reading.Text == Unlimited)
        {
            return 0;
        }

        if (reading.Succeeded && long.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var limit))
        {
            return limit < UnlimitedBytes ? limit : 0;
        }

        warnings.AddUnlessMissing(reading, "its memory limit is ignored");
        return 0;
    }
}
