using System.Runtime;

namespace NumaSharp.Core.Planning;

/// <summary>The settings of the garbage collector that decide on its heaps.</summary>
internal readonly record struct ManagedHeapSettings()
{
    /// <summary>A limit of the heap, by its settings' names without prefix: any of them unbinds the heaps.</summary>
    public static readonly string[] HardLimits =
    [
        "HeapHardLimit", "HeapHardLimitPercent", "HeapHardLimitSOH", "HeapHardLimitLOH", "HeapHardLimitPOH",
        "HeapHardLimitSOHPercent", "HeapHardLimitLOHPercent", "HeapHardLimitPOHPercent",
    ];

    private static readonly Lazy<ManagedHeapSettings> s_ofThisProcess = new(ReadThisProcess);

#pragma warning disable RS0030 // Not the plan's CPUs, but what the collector counts: quotas and DOTNET_PROCESSOR_COUNT included.
    /// <summary>How many CPUs the collector counts: by default as many heaps.</summary>
    public static int Processors => Environment.ProcessorCount;
#pragma warning restore RS0030

    /// <summary>In effect in this process; they cannot change.</summary>
    public static ManagedHeapSettings OfThisProcess => s_ofThisProcess.Value;

    public bool IsServer { get; init; } = true;

    /// <summary>Whether the number of heaps follows the load.</summary>
    public bool IsDynamic { get; init; }

    /// <summary>Whether heaps are bound to CPUs.</summary>
    public bool IsAffinitized { get; init; } = true;

    /// <summary>Whether the heap's size is limited by a setting, which unbinds heaps unless their CPUs are set.</summary>
    public bool HasHardLimit { get; init; }

    /// <summary>0: a heap per CPU.</summary>
    public long HeapCount { get; init; }

    /// <summary>Whether a setting says how many heaps there are.</summary>
    public bool IsCountChosen { get; init; }

    /// <summary>The CPUs that may have heaps, if not all that the process may use.</summary>
    public CpuSet? HeapCpus { get; init; }

    /// <summary>
    /// What the runtime makes of a limit: it binds heaps if their CPUs are set, whatever NoAffinitize says (<c>gc_heap</c>,
    /// <c>gc_thread_no_affinitize_p</c>). A limit that comes from a container does not count.
    /// </summary>
    public static bool IsBound(bool hasHardLimit, bool hasCpus, bool isRefused) => hasHardLimit ? hasCpus : !isRefused;

    private static ManagedHeapSettings ReadThisProcess()
    {
        // Names and types are those of GC.GetConfigurationVariables (gcconfig.h in the runtime): what the collector made of
        // environment, runtimeconfig.json and machine. A number of heaps is always there.
        var variables = GC.GetConfigurationVariables();
        var ranges = variables.GetValueOrDefault("GCHeapAffinitizeRanges") as string;
        var hasHardLimit = Array.Exists(HardLimits, IsSet);
        var limit = Number("MaxHeapCount");
        var isServer = GCSettings.IsServerGC;
        return new ManagedHeapSettings
        {
            // On one CPU the runtime has no server GC, whatever is set, and there is nothing to advise.
            IsServer = isServer || Processors == 1,
            IsDynamic = isServer && Number("GCDynamicAdaptationMode") != 0 && !IsSet("HeapCount"),
            IsAffinitized = IsBound(
                hasHardLimit, !string.IsNullOrEmpty(ranges), variables.GetValueOrDefault("NoAffinitize") is true),
            HasHardLimit = hasHardLimit,
            HeapCount = limit > 0 ? Math.Min(limit, Number("HeapCount")) : Number("HeapCount"),
            IsCountChosen = IsSet("HeapCount") || limit > 0,
            HeapCpus = !string.IsNullOrEmpty(ranges) && CpuSet.TryParseList(ranges, out var cpus) ? cpus : null,
        };

        long Number(string name) => variables.GetValueOrDefault(name) is long number ? number : 0;
    }

    private static bool IsSet(string name) =>
        !string.IsNullOrEmpty(Environment.GetEnvironmentVariable($"DOTNET_GC{name}"))
        || !string.IsNullOrEmpty(Environment.GetEnvironmentVariable($"COMPlus_GC{name}"))
        || AppContext.GetData($"System.GC.{name}") is not null;
}
