namespace NumaSharp.Core.Topology;

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
