using System.Diagnostics.CodeAnalysis;

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
