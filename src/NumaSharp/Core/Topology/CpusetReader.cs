namespace NumaSharp.Core.Topology;

/// <summary>
/// Finds the cpuset of this process in the cgroup file systems (cpuset(7); cgroup-v2.rst, "Cpuset"). A cgroup without a
/// cpuset of its own has its parent's: this is also what happens in a container that sees the host's path and its own mount.
/// </summary>
internal sealed class CpusetReader(MachineFiles files, TopologyWarnings warnings)
{
    private const int MountTableLimit = 4 * 1024 * 1024;
    private const int MaxMounts = 16;
    private const int MaxPathLength = 4096;
    private const string Instead = "the parent's cpuset is used";

    private static readonly string[] s_version2 = ["cpuset.{0}.effective"];
    private static readonly string[] s_configured = ["cpuset.{0}", "{0}", "cpuset.effective_{0}", "effective_{0}"];
    private static readonly string[] s_effective = ["cpuset.effective_{0}", "effective_{0}", "cpuset.{0}", "{0}"];

    private readonly PartitionReader _partitions = new(files, warnings);

    public CpusetLimits Read()
    {
        var mounts = files.Proc.Read("mounts", MountTableLimit);
        if (mounts.IsMissing)
        {
            mounts = files.Proc.Read("self/mounts", MountTableLimit);
        }

        if (!mounts.Succeeded)
        {
            warnings.AddUnlessMissing(mounts, "no cgroup limits are read");
            return new CpusetLimits(Cpus: null, Mems: null, CpuSet.Empty, []);
        }

        CpusetLimit? cpus = null;
        CpusetLimit? mems = null;
        var isolated = CpuSet.Empty;
        foreach (var mount in MountTable.FindCpusets(mounts.Text).Where(IsPlain).Take(MaxMounts))
        {
            var path = FindPath(mount);
            cpus ??= Find(mount, path, "cpus");
            mems ??= Find(mount, path, "mems");
            isolated = mount.IsVersion2 ? isolated.Union(_partitions.Read(mount.Point, path)) : isolated;
        }

        return new CpusetLimits(cpus, mems, isolated, _partitions.Files);
    }

    private string FindPath(CpusetMount mount)
    {
        var cgroup = files.Proc.Read("self/cgroup");
        if (!cgroup.Succeeded)
        {
            warnings.AddUnlessMissing(cgroup, "cpuset beside it is read");
        }

        if (CgroupPath.TryFind(cgroup.Text, mount.IsVersion2, out var path))
        {
            return Checked(cgroup, path);
        }

        var cpuset = files.Proc.Read("self/cpuset");
        return cpuset.Succeeded ? Checked(cpuset, cpuset.Text) : "/";
    }

    // ".." stands for a cgroup outside of the process's cgroup namespace (cgroup_namespaces(7)).
    private string Checked(FileReading source, string path)
    {
        if (path.StartsWith('/') && path.Length <= MaxPathLength && !path.Split('/').Contains(".."))
        {
            return path;
        }

        warnings.Add(
            $"{source.Path}: '{NumaTopologyException.Quote(path)}' is outside of the visible hierarchy; its root is used.");
        return "/";
    }

    private static bool IsPlain(CpusetMount mount) => !mount.Point.Split('/').Contains("..");

    private CpusetLimit? Find(CpusetMount mount, string path, string resource)
    {
        var names = mount.IsVersion2 ? s_version2 : mount.PrefersEffective ? s_effective : s_configured;
        var directory = path.TrimEnd('/');
        while (true)
        {
            foreach (var name in names)
            {
                if (ReadList($"{mount.Point}{directory}/{name.Replace("{0}", resource, StringComparison.Ordinal)}") is { } limit)
                {
                    return limit;
                }
            }

            if (directory.Length == 0)
            {
                return null;
            }

            directory = directory[..directory.LastIndexOf('/')].TrimEnd('/');
        }
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
