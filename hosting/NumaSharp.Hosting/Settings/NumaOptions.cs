using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

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
