using System.Globalization;

namespace NumaSharp.Tool.Machine;

/// <summary>The resources that a kubelet assigned to the container of this process.</summary>
internal sealed record PodCgroup
{
    /// <summary>The variable that the kubelet sets in every container.</summary>
    public const string Variable = "KUBERNETES_SERVICE_HOST";

    private const string CgroupFile = "proc/self/cgroup";
    private const string TokenFolder = "var/run/secrets/kubernetes.io/serviceaccount";

    // Both of the kubelet's cgroup drivers: kubepods/burstable/podUID, kubepods.slice/kubepods-burstable.slice/...
    private const string Root = "kubepods";

    /// <summary>Whether it runs in a pod at all.</summary>
    public bool IsPod { get; init; }

    public PodClass Class { get; init; }

    public CpuQuota? Quota { get; init; }

    /// <summary>The number of periods, and of those in which the quota was used up; 0 if unknown.</summary>
    public (long Periods, long Throttled, string File) Throttling { get; init; }

    public static PodCgroup Read(TreeReader files, Func<string, string?> variable)
    {
        var path = (files.Read(CgroupFile) ?? "").Split('\n')
            .Select(static line => line.Split(':', 3) is [_, _, var path] ? path : "")
            .FirstOrDefault(static path => path.Contains("/" + Root, StringComparison.Ordinal));
        return new PodCgroup
        {
            IsPod = path is not null || variable(Variable) is not null || files.IsFolder(TokenFolder),
            Class = ClassOf(path),
            Quota = CpuQuota.Find(files),
            Throttling = ReadThrottling(files),
        };
    }

    private static PodClass ClassOf(string? path) =>
        path is null ? PodClass.Unknown
        : path.Contains("besteffort", StringComparison.Ordinal) ? PodClass.BestEffort
        : path.Contains("burstable", StringComparison.Ordinal) ? PodClass.Burstable
        : PodClass.Guaranteed;

    // Only the container's own: throttling of the pod's other containers is not counted.
    private static (long Periods, long Throttled, string File) ReadThrottling(TreeReader files)
    {
        foreach (var file in CgroupFolders.OfSelf(files).Find(CgroupFolders.Cpu).Select(static folder => $"{folder}/cpu.stat"))
        {
            var counts = (files.Read(file) ?? "").Split('\n')
                .Select(static line => line.Split(' '))
                .Where(static words => words.Length == 2)
                .DistinctBy(static words => words[0], StringComparer.Ordinal)
                .ToDictionary(static words => words[0], static words => words[1], StringComparer.Ordinal);
            if (long.TryParse(counts.GetValueOrDefault("nr_periods"), CultureInfo.InvariantCulture, out var periods)
                && long.TryParse(counts.GetValueOrDefault("nr_throttled"), CultureInfo.InvariantCulture, out var throttled))
            {
                return (periods, throttled, file);
            }
        }

        return default;
    }
}

/// <summary>
/// A pod's quality of service, as its cgroup's path shows it (kubernetes.io, "Pod Quality of Service Classes").
/// </summary>
internal enum PodClass
{
    /// <summary>The path does not show it, as in a container with its own cgroup namespace.</summary>
    Unknown,
    BestEffort,
    Burstable,
    Guaranteed,
}
