using System.Globalization;

namespace NumaSharp.Tool.Machine;

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
