namespace NumaSharp.Core.Linux;

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
