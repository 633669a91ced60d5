using NumaSharp.Core;
using NumaSharp.Hosting.Settings;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting;

/// <summary>
/// The settings of the <c>Numa</c> section. The defaults suit most services. Read when the host starts; errors are reported all
/// at once, and the host does not start. Some keys can change at run time.
/// </summary>
public sealed class NumaOptions
{
    /// <summary>
    /// Whether threads are pinned, memory is bound and the NUMA transport serves. When false, all services still work: on one
    /// node, with nothing pinned or bound and Kestrel's own transport.
    /// </summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>The source of the machine's topology.</summary>
    public NumaTopologyOptions Topology { get; } = new();

    /// <summary>How threads are pinned.</summary>
    public NumaAffinityOptions Affinity { get; } = new();

    /// <summary>Which nodes and CPUs are used, and how memory is bound to them.</summary>
    public NumaBindingOptions Binding { get; } = new();

    /// <summary>The memory pools and the allocator.</summary>
    public NumaMemoryOptions Memory { get; } = new();

    /// <summary>The task scheduler.</summary>
    public NumaSchedulerOptions Scheduler { get; } = new();

    /// <summary>Kestrel's transport.</summary>
    public NumaTransportOptions Transport { get; } = new();

    /// <summary>The datagram listeners, by the names passed to <c>AddNumaUdp</c>; names ignore case.</summary>
    public IDictionary<string, NumaUdpListenerOptions> Udp { get; } =
        new Dictionary<string, NumaUdpListenerOptions>(StringComparer.OrdinalIgnoreCase);

    /// <summary>Metrics.</summary>
    public NumaTelemetryOptions Telemetry { get; } = new();

    /// <summary>The live page.</summary>
    public NumaPageOptions Page { get; } = new();

    /// <summary>Assemblies with providers, loaded when the host starts. Not with NativeAOT.</summary>
    public IList<NumaPluginOptions> Plugins { get; } = [];

    /// <summary>The parts of the section that could not be read into these options.</summary>
    internal IReadOnlyList<SettingFailure> Unread { get; set; } = [];

    /// <summary>The plan that these options were checked with.</summary>
    internal NumaPlan? Plan { get; set; }
}

/// <summary>The source of the machine's topology: section <c>Numa:Topology</c>.</summary>
public sealed class NumaTopologyOptions
{
    /// <summary>
    /// The name of the provider. <c>Auto</c> selects Linux on Linux and the registered platform plugin elsewhere,
    /// or one node without it.
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

/// <summary>How threads are pinned: section <c>Numa:Affinity</c>.</summary>
public sealed class NumaAffinityOptions
{
    /// <summary>The name of the provider. <c>Auto</c> follows the topology provider if its platform can pin.</summary>
    /// <value>Default <c>Auto</c>. Built in are <c>Linux</c> and <c>SingleNode</c>.</value>
    public string Provider { get; set; } = "Auto";

    /// <summary>The set of CPUs that each worker and each event loop gets on its node.</summary>
    /// <value>Default <see cref="NumaAffinityGranularity.Auto"/>.</value>
    public NumaAffinityGranularity Granularity { get; set; }

    /// <summary>Whether to use only one CPU of each physical core.</summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool AvoidSmtSiblings { get; set; }

    /// <summary>CPUs that are left to other software, such as a poll-mode driver.</summary>
    /// <value>Default none.</value>
    public CpuSet ReservedCpus { get; set; } = CpuSet.Empty;

    /// <summary>
    /// Whether the host measures at its start, for half a second, what pinning gains or costs on this machine, and logs it.
    /// </summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool MeasureAtStart { get; set; }
}

/// <summary>
/// The task scheduler: section <c>Numa:Scheduler</c>. Only code can set what has no key:
/// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>, <see cref="NumaTaskSchedulerOptions.DrainTimeout"/>,
/// <see cref="NumaTaskSchedulerOptions.ThreadNamePrefix"/>, and, in place of the host's own,
/// <see cref="NumaTaskSchedulerOptions.Affinity"/> and <see cref="NumaTaskSchedulerOptions.Fallbacks"/>. A
/// <see cref="NumaTaskSchedulerOptions.Plan"/> is refused: the host makes it.
/// </summary>
public sealed class NumaSchedulerOptions : NumaTaskSchedulerOptions
{
    /// <summary>The number of workers per node. Only <c>AddNuma</c> reads this; elsewhere the plan decides.</summary>
    /// <value>Default 0: one for each CPU of the node in the plan; up to 4096.</value>
    public int ThreadsPerNode { get; set; }
}

/// <summary>Metrics: section <c>Numa:Telemetry</c>.</summary>
public sealed class NumaTelemetryOptions
{
    /// <summary>Whether the meter is published.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>
    /// The maximum age of the nodes' memory figures and kernel counters in the meter, from 1 second to 1 hour: their files are
    /// read at most that often, however many readers ask.
    /// </summary>
    /// <value>Default 5 seconds.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(5);
}

/// <summary>The live page, if the application maps it (<c>MapNuma</c>): section <c>Numa:Page</c>.</summary>
public sealed class NumaPageOptions
{
    /// <summary>Whether <c>MapNuma</c> maps it.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>How often the page's data is read while it is open, from 100 milliseconds to 1 minute.</summary>
    /// <value>Default 1 second.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(1);
}

/// <summary>An assembly with providers: an item of <c>Numa:Plugins</c>.</summary>
public sealed class NumaPluginOptions : IConfiguredItem
{
    /// <summary>
    /// The file, relative to the content root or absolute. It must be below the content root's folder <c>plugins</c>, and neither
    /// it nor a folder in its path may be world-writable.
    /// </summary>
    public string Assembly { get; set; } = "";

    /// <summary>The SHA-256 of the file, 64 hexadecimal digits; a file with another hash is refused.</summary>
    /// <value>Default empty: not checked.</value>
    public string Sha256 { get; set; } = "";

    string? IConfiguredItem.Key { get; set; }
}
