namespace NumaSharp.Core.Topology;

/// <summary>
/// Finds the cgroups of this process that can have a controller's files (cgroups(7), cgroup_namespaces(7)).
/// </summary>
internal sealed class CgroupReader(MachineFiles files, TopologyWarnings warnings, string controller)
{
    public const string Cpuset = "cpuset";
    public const string Memory = "memory";

    private const int MountTableLimit = 4 * 1024 * 1024;
    private const int MaxMounts = 16;
    private const int MaxPathLength = 4096;

    /// <summary>The mounted hierarchies, each with the path in it of the cgroup of this process.</summary>
    public IEnumerable<(CgroupMount Mount, string Path)> FindHierarchies()
    {
        var mounts = files.Proc.Read("mounts", MountTableLimit);
        if (mounts.IsMissing)
        {
            mounts = files.Proc.Read("self/mounts", MountTableLimit);
        }

        if (!mounts.Succeeded)
        {
            warnings.AddUnlessMissing(mounts, "no cgroup limits are read");
            return [];
        }

        return MountTable.Find(mounts.Text, controller).Where(IsPlain).Take(MaxMounts)
            .Select(mount => (mount, FindPath(mount)));
    }

    /// <summary>
    /// The folder of a cgroup and those of its ancestors, innermost first: one may leave its limits to them, and a container may
    /// see the host's path and a mount of its own that does not have it.
    /// </summary>
    public static IEnumerable<string> FoldersOf(CgroupMount mount, string path)
    {
        var directory = path.TrimEnd('/');
        while (true)
        {
            yield return mount.Point + directory;
            if (directory.Length == 0)
            {
                break;
            }

            directory = directory[..directory.LastIndexOf('/')].TrimEnd('/');
        }
    }

    private string FindPath(CgroupMount mount)
    {
        var cgroup = files.Proc.Read("self/cgroup");
        if (!cgroup.Succeeded)
        {
            warnings.AddUnlessMissing(cgroup, "cpuset beside it is read");
        }

        if (CgroupPath.TryFind(cgroup.Text, controller, mount.IsVersion2, out var path))
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

    private static bool IsPlain(CgroupMount mount) => !mount.Point.Split('/').Contains("..");
}
