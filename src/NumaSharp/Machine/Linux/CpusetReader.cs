namespace NumaSharp.Core.Topology;

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
