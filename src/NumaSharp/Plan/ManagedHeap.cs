namespace NumaSharp.Core.Planning;

/// <summary>
/// Why objects that a thread allocates may be on another node. The first CPUs have the heaps of the server GC, as many as there
/// are; a heap has memory of its CPU's node, and a thread allocates from its CPU's heap, or from one that has more room
/// (<c>heap_select</c> and <c>balance_heaps</c> in dotnet/runtime, src/coreclr/gc). Measured in docs/guide/operations.md.
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

    /// <summary>Heaps that are bound to no CPU.</summary>
    public static ManagedHeapProblem? FindUnbound(NumaPlan plan, ManagedHeapSettings settings) =>
        settings.IsAffinitized || !HasSeveralNodes(plan)
            ? null
            : settings.HasHardLimit
                ? new ManagedHeapProblem(
                    "With a limit of its heap the GC binds heaps to no CPU: a CPU may get the heap of another node.",
                    $"Set DOTNET_GCHeapAffinitizeRanges={plan.Topology.AllowedCpus}, which binds them again.")
                : new ManagedHeapProblem(
                    "The GC binds its heaps to no CPU: a CPU may get the heap of another node.",
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
        if (settings.IsDynamic || !settings.IsAffinitized || !HasSeveralNodes(plan))
        {
            return null;
        }

        var allowed = plan.Topology.AllowedCpus;
        var cpus = settings.HeapCpus?.Intersect(allowed) ?? allowed;
        var withHeaps = settings.HeapCount > 0 ? CpuSet.FromIds(cpus.Take(int.CreateSaturating(settings.HeapCount))) : cpus;
        var heapless = CpuSet.FromIds(
            ServingNodes(plan).Where(node => !node.Cpus.Overlaps(withHeaps)).Select(static node => node.NodeId.Value));
        return heapless.IsEmpty || withHeaps.IsEmpty
            ? null
            : new ManagedHeapProblem(
                $"The GC's heaps are on CPUs {withHeaps}: threads of node{(heapless.Count == 1 ? "" : "s")} {heapless} allocate "
                + "from other nodes.",
                settings.IsCountChosen
                    ? "Set DOTNET_GCDynamicAdaptationMode=0 in place of DOTNET_GCHeapCount (System.GC.HeapCount) or "
                    + "DOTNET_GCMaxHeapCount: then there is a heap on each CPU."
                    : settings.HeapCpus is not null
                        ? $"Remove DOTNET_GCHeapAffinitizeRanges, or set it to {allowed}."
                        : "The runtime counts fewer CPUs than it may use: a quota, a limit of memory or DOTNET_PROCESSOR_COUNT. "
                        + "Give the process CPUs of one node by a cpuset, or a process to each node (numasharp run --per-node).");
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
