namespace NumaSharp.Hosting;

/// <summary>The source of the machine's topology: section <c>Numa:Topology</c>.</summary>
public sealed class NumaTopologyOptions
{
    /// <summary>
    /// The name of the provider. <c>Auto</c> selects Linux on Linux, elsewhere the registered platform plugin, else one node.
    /// </summary>
    /// <value>Default <c>Auto</c>. Built in are <c>Linux</c> and <c>SingleNode</c>.</value>
    public string Provider { get; set; } = "Auto";

    /// <summary>
    /// The mount point of sysfs. With a root other than the default, the topology counts as that of another machine, and nothing
    /// is pinned or bound unless the memory and affinity providers are named.
    /// </summary>
    /// <value>Default <c>/sys</c>.</value>
    public string SysfsRoot { get; set; } = "/sys";

    /// <summary>The mount point of procfs; otherwise as <see cref="SysfsRoot"/>.</summary>
    /// <value>Default <c>/proc</c>.</value>
    public string ProcRoot { get; set; } = "/proc";

    /// <summary>
    /// How often the host checks for CPUs or memory that came or went, and for changed cpusets and masks, and adapts to them: 10
    /// milliseconds to 1 day; zero: never.
    /// </summary>
    /// <value>Default 5 seconds.</value>
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromSeconds(5);
}
