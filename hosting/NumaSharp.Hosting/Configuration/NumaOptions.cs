using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting;

/// <summary>
/// The settings of the <c>Numa</c> section. The defaults are right for most services. They are read once, when the host
/// starts; all that is wrong with them is reported at once, and the host does not start.
/// </summary>
public sealed class NumaOptions
{
    /// <summary>
    /// Whether threads are pinned, memory is bound and the NUMA transport serves. When not, all services still work: on one
    /// node, with nothing pinned or bound and Kestrel's own transport.
    /// </summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>Where the machine's nodes are read.</summary>
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

    /// <summary>The listeners for datagrams, by the names that <c>AddNumaUdp</c> gives them; names ignore case.</summary>
    public IDictionary<string, NumaUdpListenerOptions> Udp { get; } =
        new Dictionary<string, NumaUdpListenerOptions>(StringComparer.OrdinalIgnoreCase);

    /// <summary>Metrics.</summary>
    public NumaTelemetryOptions Telemetry { get; } = new();

    /// <summary>The live page.</summary>
    public NumaPageOptions Page { get; } = new();

    /// <summary>Assemblies with providers that are loaded when the host starts. Not with NativeAOT.</summary>
    public IList<NumaPluginOptions> Plugins { get; } = [];

    /// <summary>What the section has that could not be read into these options.</summary>
    internal IReadOnlyList<SettingFailure> Unread { get; set; } = [];
}
