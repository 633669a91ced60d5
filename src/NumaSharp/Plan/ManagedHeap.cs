using System.Runtime;

namespace NumaSharp.Core.Planning;

/// <summary>
/// Why objects that a thread allocates may be on another node. The server GC has numbered heaps, heap n on the n-th CPU, with
/// memory of that CPU's node; a thread allocates from its CPU's heap, or from one that has more room (<c>select_heap</c> and
/// <c>balance_heaps</c> in dotnet/runtime, src/coreclr/gc). docs/guide/operations.md has the measurements.
/// </summary>
internal static class ManagedHeap
{
    /// <summary>What there is to say, the most important only; <see langword="null"/> where the settings are the best.</summary>
    public static ManagedHeapProblem? Find(NumaPlan plan, ManagedHeapSettings settings) =>
        FindWorkstation(plan, settings)
        ?? FindUnbound(plan, settings)
        ?? FindDynamic(plan, settings)
        ?? FindHeapless(plan, settings);

    /// <summary>One heap for all nodes.</summary>
    public static ManagedHeapProblem? FindWorkstation(NumaPlan plan, ManagedHeapSettings settings) =>
        settings.IsServer || !HasSeveralNodes(plan)
            ? null
            : new ManagedHeapProblem(
                "The application uses the workstation GC: one heap, whose pages are on whichever node touched them first.",
                "Set <ServerGarbageCollection>true</ServerGarbageCollection> in the project, or DOTNET_gcServer=1.");

    /// <summary>Heaps that are bound to no CPU, so to no node.</summary>
    public static ManagedHeapProblem? FindUnbound(NumaPlan plan, ManagedHeapSettings settings) =>
        settings.IsAffinitized || !HasSeveralNodes(plan)
            ? null
            : new ManagedHeapProblem(
                "The GC's heaps are bound to no CPU: threads allocate from heaps of any node.",
                "Remove DOTNET_GCNoAffinitize (System.GC.NoAffinitize).");

    /// <summary>As many heaps as the load needs: DATAS.</summary>
    public static ManagedHeapProblem? FindDynamic(NumaPlan plan, ManagedHeapSettings settings) =>
        !settings.IsDynamic || !HasSeveralNodes(plan)
            ? null
            : new ManagedHeapProblem(
                "The GC adds heaps as the load grows (DATAS), those of the first node first: until the other nodes have heaps, "
                + "their threads allocate from the first node.",
                "Set <GarbageCollectionAdaptationMode>0</GarbageCollectionAdaptationMode> in the project, or "
                + "DOTNET_GCDynamicAdaptationMode=0.");

    /// <summary>Nodes without a heap.</summary>
    public static ManagedHeapProblem? FindHeapless(NumaPlan plan, ManagedHeapSettings settings)
    {
        if (settings.HeapCount <= 0 || settings.IsDynamic || !HasSeveralNodes(plan))
        {
            return null;
        }

        var cpus = settings.HeapCpus ?? plan.Topology.AllowedCpus;
        var withHeaps = CpuSet.FromIds(cpus.Take((int)Math.Min(settings.HeapCount, cpus.Count)));
        var heapless = CpuSet.FromIds(
            ServingNodes(plan).Where(node => !node.Cpus.Overlaps(withHeaps)).Select(static node => node.NodeId.Value));
        return heapless.IsEmpty
            ? null
            : new ManagedHeapProblem(
                $"The GC's heaps are on CPUs {withHeaps}: threads of node{(heapless.Count == 1 ? "" : "s")} {heapless} allocate "
                + "from other nodes.",
                "Set DOTNET_GCDynamicAdaptationMode=0 in place of DOTNET_GCHeapCount (System.GC.HeapCount): then there is a heap "
                + "on each CPU.");
    }

    private static bool HasSeveralNodes(NumaPlan plan) => plan.IsEnabled && ServingNodes(plan).Skip(1).Any();

    private static IEnumerable<NumaNodePlan> ServingNodes(NumaPlan plan) =>
        plan.Nodes.Where(static node => node.ServesItself && !node.Cpus.IsEmpty);
}

/// <summary>What may put objects on another node, and the line that changes it.</summary>
internal sealed record ManagedHeapProblem(string Text, string Remedy)
{
    public override string ToString() => $"{Text} {Remedy}";
}

/// <summary>The settings of the garbage collector that decide on its heaps.</summary>
internal readonly record struct ManagedHeapSettings()
{
    private static readonly Lazy<ManagedHeapSettings> s_ofThisProcess = new(ReadThisProcess);

    /// <summary>In effect in this process; they cannot change.</summary>
    public static ManagedHeapSettings OfThisProcess => s_ofThisProcess.Value;

    public bool IsServer { get; init; } = true;

    /// <summary>Whether the number of heaps follows the load.</summary>
    public bool IsDynamic { get; init; }

    public bool IsAffinitized { get; init; } = true;

    /// <summary>0: a heap per CPU.</summary>
    public long HeapCount { get; init; }

    /// <summary>The CPUs that may have heaps, if not all that the process may use.</summary>
    public CpuSet? HeapCpus { get; init; }

    private static ManagedHeapSettings ReadThisProcess()
    {
        // Names and types are those of GC.GetConfigurationVariables (gcconfig.h in the runtime): what the collector made of
        // environment, runtimeconfig.json and machine.
        var variables = GC.GetConfigurationVariables();
        return new ManagedHeapSettings
        {
            IsServer = GCSettings.IsServerGC,
            IsDynamic = GCSettings.IsServerGC && Number("GCDynamicAdaptationMode") != 0,
            IsAffinitized = !(variables.GetValueOrDefault("NoAffinitize") is true),
            HeapCount = Number("HeapCount"),
            HeapCpus = variables.GetValueOrDefault("GCHeapAffinitizeRanges") is string { Length: > 0 } ranges
                && CpuSet.TryParseList(ranges, out var cpus)
                ? cpus
                : null,
        };

        long Number(string name) => variables.GetValueOrDefault(name) is long number ? number : 0;
    }
}
