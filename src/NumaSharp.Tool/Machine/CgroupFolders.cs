using System.Text;
using NumaSharp.Core.Topology;

namespace NumaSharp.Tool.Machine;

/// <summary>Finds the folders of a process's cgroup (cgroups(7), proc_pid_mounts(5)), in either version.</summary>
internal sealed class CgroupFolders(TreeReader files, string mountsFile, string cgroupFile, string cpusetFile)
{
    public const string Memory = "memory";
    public const string Cpu = "cpu";

    private const int MountTableLimit = 4 * 1024 * 1024;

    /// <summary>The memory controller's limit, in version 2 and in version 1.</summary>
    public static IReadOnlyList<string> MemoryLimits { get; } = [$"{Memory}.max", $"{Memory}.limit_in_bytes"];

    public static CgroupFolders OfSelf(TreeReader files) => new(files, "proc/mounts", "proc/self/cgroup", "proc/self/cpuset");

    /// <summary>
    /// The folders of the cgroup and its ancestors, innermost first, of every hierarchy that can have the controller.
    /// </summary>
    public IEnumerable<string> Find(string controller)
    {
        var text = files.ReadBytes(mountsFile, MountTableLimit) is { } bytes ? Encoding.Latin1.GetString(bytes) : "";
        return MountTable.Find(text, controller)
            .SelectMany(mount => mount.FoldersOf(FindPath(controller, mount.IsVersion2)))
            .Select(static folder => folder.TrimStart('/'));
    }

    // Kernels older than cgroups report the cpuset in its own file.
    private string FindPath(string controller, bool isVersion2) =>
        CgroupPath.TryFind(files.Read(cgroupFile), controller, isVersion2, out var path) && CgroupPath.IsVisible(path) ? path
        : files.Read(cpusetFile) is { } own && CgroupPath.IsVisible(own) ? own
        : "/";
}
