namespace NumaSharp.Core.Topology;

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
