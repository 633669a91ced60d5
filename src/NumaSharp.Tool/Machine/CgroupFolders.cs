using System.Text;

namespace NumaSharp.Tool.Machine;

/// <summary>Finds the folders of a process's cgroup (cgroups(7), proc_pid_mounts(5)), in either version.</summary>
internal sealed class CgroupFolders(TreeReader files, string mountsFile, string cgroupFile, string cpusetFile)
{
    public const string Memory = "memory";
    public const string Cpu = "cpu";

    private const int MountTableLimit = 4 * 1024 * 1024;
    private const int MaxPathLength = 4096;

    /// <summary>The memory controller's limit, in version 2 and in version 1.</summary>
    public static IReadOnlyList<string> MemoryLimits { get; } = [$"{Memory}.max", $"{Memory}.limit_in_bytes"];

    public static CgroupFolders OfSelf(TreeReader files) => new(files, "proc/mounts", "proc/self/cgroup", "proc/self/cpuset");

    /// <summary>
    /// The cgroup's folder and those of its ancestors, innermost first, of every hierarchy that can have the controller. The
    /// ancestors count: a cgroup may leave a limit to them, and a container may see a path that its mount does not have.
    /// </summary>
    public IEnumerable<string> Find(string controller)
    {
        var paths = ReadPaths(controller);
        foreach (var (point, isVersion2) in ReadMounts(controller))
        {
            var path = paths.GetValueOrDefault(isVersion2, "/").TrimEnd('/');
            while (true)
            {
                yield return (point + path).TrimStart('/');
                if (path.Length == 0)
                {
                    break;
                }

                path = path[..path.LastIndexOf('/')].TrimEnd('/');
            }
        }
    }

    // Lines of "hierarchy:controllers:path"; version 2 is hierarchy 0 without controllers.
    private Dictionary<bool, string> ReadPaths(string controller)
    {
        var paths = new Dictionary<bool, string>();
        foreach (var line in (files.Read(cgroupFile) ?? "").Split('\n'))
        {
            if (line.Split(':', 3) is [var id, var controllers, var path]
                && path.StartsWith('/') && path.Length <= MaxPathLength && !path.Split('/').Contains(".."))
            {
                var isVersion2 = id == "0" && controllers.Length == 0;
                if (isVersion2 || controllers.Split(',').Contains(controller, StringComparer.Ordinal))
                {
                    paths.TryAdd(isVersion2, path);
                }
            }
        }

        // Kernels before cgroups have their cpuset here.
        if (files.Read(cpusetFile) is ['/', ..] own && !own.Split('/').Contains(".."))
        {
            paths.TryAdd(false, own);
            paths.TryAdd(true, own);
        }

        return paths;
    }

    private IEnumerable<(string Point, bool IsVersion2)> ReadMounts(string controller)
    {
        var text = files.ReadBytes(mountsFile, MountTableLimit) is { } bytes ? Encoding.Latin1.GetString(bytes) : "";
        foreach (var line in text.Split('\n'))
        {
            if (line.Split(' ') is [_, var point, var type, var options, ..] && !point.Split('/').Contains(".."))
            {
                if (type == "cgroup2")
                {
                    yield return (Unescape(point), true);
                }
                else if (type == controller || (type == "cgroup" && options.Split(',').Contains(controller)))
                {
                    yield return (Unescape(point), false);
                }
            }
        }
    }

    // The kernel writes space, tab, newline and backslash as \ooo (fs/seq_file.c, mangle_path).
    private static string Unescape(string text) => text
        .Replace("\\040", " ", StringComparison.Ordinal)
        .Replace("\\011", "\t", StringComparison.Ordinal)
        .Replace("\\012", "\n", StringComparison.Ordinal)
        .Replace("\\134", "\\", StringComparison.Ordinal);
}
