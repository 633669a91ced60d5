namespace NumaSharp.Hosting;

/// <summary>Where the machine's nodes are read: section <c>Numa:Topology</c>.</summary>
public sealed class NumaTopologyOptions
{
    /// <summary>
    /// The name of the provider. <c>Auto</c> takes Linux on Linux, elsewhere the registered platform plugin, else one node.
    /// </summary>
    /// <value>Default <c>Auto</c>. Built in are <c>Linux</c> and <c>SingleNode</c>.</value>
    public string Provider { get; set; } = "Auto";

    /// <summary>
    /// Where sysfs is mounted. With another root than the default the topology is taken to be that of another machine, and
    /// nothing is pinned or bound unless the memory and affinity providers are named.
    /// </summary>
    /// <value>Default <c>/sys</c>.</value>
    public string SysfsRoot { get; set; } = "/sys";

    /// <summary>Where procfs is mounted; otherwise as <see cref="SysfsRoot"/>.</summary>
    /// <value>Default <c>/proc</c>.</value>
    public string ProcRoot { get; set; } = "/proc";

    /// <summary>
    /// How often the host looks whether CPUs or memory have come or gone, or cpusets and masks were changed, and follows them:
    /// 10 milliseconds to 1 day; zero: never.
    /// </summary>
    /// <value>Default 5 seconds.</value>
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromSeconds(5);
}
