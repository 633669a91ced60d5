using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The heap may grow beyond the container's memory limit.</summary>
internal sealed class GcMemoryLimitCheck() : DoctorCheck("gc-memory-limit")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Gc.Number("GCHeapHardLimit", "HeapHardLimit") is { Value: > 0 } heap
            && FindLimit(context) is var (file, limit) && heap.Value > limit)
        {
            yield return Found(
                Severity.Error,
                $"The GC heap may grow to {SizeText.Format(heap.Value)}, but the container's limit is "
                + $"{SizeText.Format(limit)}: the kernel kills the process before the GC reaches its limit.",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Set DOTNET_GCHeapHardLimit={limit / 4 * 3:x} (hexadecimal; leaves a quarter to the pools), or remove it."),
                heap.Evidence,
                new Evidence($"/{file}", $"{limit}"));
        }
    }

    // The smallest limit of the cgroup and its ancestors; "max" and the like are no numbers and set no limit.
    private static (string File, long Limit)? FindLimit(CheckContext context) => CgroupFolders.OfSelf(context.Files)
        .Find(CgroupFolders.Memory)
        .SelectMany(static folder => CgroupFolders.MemoryLimits.Select(name => $"{folder}/{name}"))
        .Select(file => (File: file, Limit: context.Files.ReadNumber(file)))
        .Where(static found => found.Limit is > 0)
        .Select(static found => ((string File, long Limit)?)(found.File, found.Limit!.Value))
        .MinBy(static found => found!.Value.Limit);
}

/// <summary>The collector's heaps are configured for CPUs outside the plan.</summary>
internal sealed class GcAffinityCheck() : DoctorCheck("gc-affinity")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (!context.Plan.IsEnabled)
        {
            yield break;
        }

        var settings = new List<GcValue<CpuSet>?>
        {
            context.Gc.Mask("GCHeapAffinitizeMask", "HeapAffinitizeMask"),
            context.Gc.Ranges("GCHeapAffinitizeRanges", "HeapAffinitizeRanges"),
        };
        var cpus = context.Plan.Cpus;
        foreach (var setting in settings.OfType<GcValue<CpuSet>>().Where(setting => !setting.Value.IsSubsetOf(cpus)))
        {
            yield return Found(
                Severity.Warning,
                $"The GC's heaps are for CPUs {setting.Value}, but the plan has CPUs {cpus}: heaps on CPUs "
                + $"{setting.Value.Except(cpus)} are used only by threads on other CPUs.",
                $"Set DOTNET_GCHeapAffinitizeRanges={cpus}, or remove the setting.",
                setting.Evidence,
                new Evidence("CPUs of the plan", cpus.ToString()));
        }
    }
}

/// <summary>Fewer heaps than nodes, or more than CPUs.</summary>
internal sealed class GcHeapCountCheck() : DoctorCheck("gc-heap-count")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var nodes = context.Plan.Nodes.Count(static node => node.ServesItself);
        var cpus = context.Plan.Cpus.Count;
        if (context.Plan.IsEnabled
            && context.Gc.Number("GCHeapCount", "HeapCount") is { Value: > 0 } heaps
            && (heaps.Value < nodes || heaps.Value > cpus))
        {
            yield return Found(
                Severity.Warning,
                heaps.Value < nodes
                    ? $"The GC has {heaps.Value} heaps for {nodes} nodes: threads of some nodes allocate on other nodes."
                    : $"The GC has {heaps.Value} heaps for {cpus} CPUs: the surplus heaps slow down every collection.",
                $"Set {nodes} to {cpus} heaps, such as DOTNET_GCHeapCount={cpus:x} (hexadecimal), or remove the setting.",
                heaps.Evidence,
                new Evidence("plan", $"{nodes} nodes, {cpus} CPUs"));
        }
    }
}

/// <summary>One heap for all nodes.</summary>
internal sealed class GcServerCheck() : DoctorCheck("gc-server")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (!context.HasSeveralNodes || !context.Plan.IsEnabled || context.Gc.IsEmpty)
        {
            yield break;
        }

        var server = context.Gc.Flag("gcServer", "Server");
        if (server is not { Value: true })
        {
            yield return Found(
                Severity.Warning,
                "The application uses the workstation GC: one heap, whose pages are on whichever node touched them first.",
                "Set <ServerGarbageCollection>true</ServerGarbageCollection> in the project, or DOTNET_gcServer=1.",
                server?.Evidence ?? new Evidence("System.GC.Server", "not set"));
        }
    }
}

/// <summary>The collector is configured to ignore nodes.</summary>
internal sealed class GcNumaCheck() : DoctorCheck("gc-numa-aware")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context is { HasSeveralNodes: true, Plan.IsEnabled: true }
            && context.Gc.Flag("GCNumaAware", "NumaAware") is { Value: false } setting)
        {
            yield return Found(
                Severity.Warning,
                "The GC ignores nodes: memory of its heaps is wherever it was touched first.",
                "Remove DOTNET_GCNumaAware; 1 is the default.",
                setting.Evidence);
        }
    }
}
