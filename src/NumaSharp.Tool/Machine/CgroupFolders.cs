using System.Globalization;
using System.Text;
using NumaSharp.Core.Linux;

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

/// <summary>The CPU time that a cgroup may use (cgroup-v2.rst, "cpu.max"; sched-bwc.rst).</summary>
/// <param name="File">The file with the quota.</param>
/// <param name="Text">Its content.</param>
/// <param name="Cpus">The quota in whole CPUs.</param>
internal sealed record CpuQuota(string File, string Text, double Cpus)
{
    private const string Version2 = "cpu.max";
    private const string Version1Quota = "cpu.cfs_quota_us";
    private const string Version1Period = "cpu.cfs_period_us";

    /// <summary>The quota files of a cgroup, of both versions.</summary>
    public static IReadOnlyList<string> Files { get; } = [Version2, Version1Quota, Version1Period];

    /// <summary>The smallest quota of a cgroup and its ancestors; <see langword="null"/> for none.</summary>
    public static CpuQuota? Find(TreeReader files) => CgroupFolders.OfSelf(files)
        .Find(CgroupFolders.Cpu)
        .Select(folder => Read(files, folder))
        .OfType<CpuQuota>()
        .MinBy(static quota => quota.Cpus);

    private static CpuQuota? Read(TreeReader files, string folder) =>
        ReadFrom($"{folder}/{Version2}", files.Read($"{folder}/{Version2}"))
        ?? ReadFrom(
            $"{folder}/{Version1Quota}",
            $"{files.Read($"{folder}/{Version1Quota}")} {files.Read($"{folder}/{Version1Period}")}");

    // "max 100000" and "-1 100000" mean no quota.
    private static CpuQuota? ReadFrom(string file, string? text) =>
        text?.Split(' ') is [var quota, var period]
            && long.TryParse(quota, NumberStyles.None, CultureInfo.InvariantCulture, out var microseconds)
            && long.TryParse(period, NumberStyles.None, CultureInfo.InvariantCulture, out var every)
            && every > 0
            ? new CpuQuota(file, text, (double)microseconds / every)
            : null;
}
