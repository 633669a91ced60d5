using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
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

/// <summary>The collector's heaps are configured for CPUs outside the plan, or for none.</summary>
internal sealed class GcAffinityCheck() : DoctorCheck("gc-affinity")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (!context.Plan.IsEnabled)
        {
            yield break;
        }

        if (!context.Gc.IsWorkstation && ManagedHeap.FindUnbound(context.Plan, context.Heap) is { } problem)
        {
            yield return Found(Severity.Warning, problem.Text, problem.Remedy, [.. EvidenceOfUnbound(context.Gc)]);
        }

        var settings = new List<GcValue<CpuSet>?>
        {
            context.Gc.Mask("GCHeapAffinitizeMask", "HeapAffinitizeMask"),
            context.Gc.HeapCpus,
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

    private static IEnumerable<Evidence> EvidenceOfUnbound(GcSettings gc) =>
    [
        .. gc.NoAffinitize is { Value: true } unbound ? [unbound.Evidence] : Array.Empty<Evidence>(),
        .. gc.HardLimits.Select(static limit => limit.Evidence),
    ];
}

/// <summary>Several applications, or one that cannot be read, so that none of their settings were read.</summary>
internal sealed class GcApplicationCheck() : DoctorCheck("gc-application")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.HasSeveralNodes && context.Application.Unread is { } reason)
        {
            yield return Found(
                Severity.Info,
                reason,
                "Name the application with --app.",
                [.. context.Application.Candidates.Select(static file => new Evidence("runtimeconfig.json", file))]);
        }
    }
}

/// <summary>Nodes without heaps, or more heaps than CPUs.</summary>
internal sealed class GcHeapCountCheck() : DoctorCheck("gc-heap-count")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Gc.IsWorkstation || !context.Plan.IsEnabled)
        {
            yield break;
        }

        var cpus = context.Plan.Cpus.Count;
        var count = context.Gc.HeapCount ?? context.Gc.MaxHeapCount;
        if ((context.Gc.IsServer || count is not null)
            && ManagedHeap.FindHeapless(context.Plan, context.Heap) is { } problem)
        {
            var evidence = count?.Evidence
                ?? context.Gc.HeapCpus?.Evidence
                ?? new Evidence("Environment.ProcessorCount", $"{context.Processors}");
            yield return Found(Severity.Warning, problem.Text, problem.Remedy, evidence, PlanOf(context));
        }
        else if (context.Gc.HeapCount is { } heaps && heaps.Value > cpus)
        {
            yield return Found(
                Severity.Warning,
                $"The GC has {heaps.Value} heaps for {cpus} CPUs: the surplus heaps slow down every collection.",
                "Remove the setting: by default there is a heap on each CPU.",
                heaps.Evidence,
                PlanOf(context));
        }
    }

    private static Evidence PlanOf(CheckContext context) =>
        new("plan", $"{context.Plan.Nodes.Count(static node => node.ServesItself)} nodes, {context.Plan.Cpus.Count} CPUs");
}

/// <summary>One heap for all nodes.</summary>
internal sealed class GcServerCheck() : DoctorCheck("gc-server")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (!context.Gc.IsEmpty && ManagedHeap.FindWorkstation(context.Plan, context.Heap) is { } problem)
        {
            yield return Found(
                Severity.Warning,
                problem.Text,
                problem.Remedy,
                context.Gc.Server?.Evidence ?? new Evidence("System.GC.Server", "not set"));
        }
    }
}

/// <summary>Heaps on the first node only, until the load grows.</summary>
internal sealed class GcDynamicCheck() : DoctorCheck("gc-datas")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Gc.IsServer && ManagedHeap.FindDynamic(context.Plan, context.Heap) is { } problem)
        {
            yield return Found(
                Severity.Warning,
                problem.Text,
                problem.Remedy,
                context.Gc.AdaptationMode?.Evidence ?? new Evidence("System.GC.DynamicAdaptationMode", "not set"));
        }
    }
}

/// <summary>
/// The runtime asks for a mask of as many CPUs as sysfs has, and the kernel has wider masks, which it refuses to cut (EINVAL,
/// sched_getaffinity(2)): as in containers with a sysfs of their own. dotnet/runtime 133449.
/// </summary>
internal sealed class GcCpuMaskCheck() : DoctorCheck("gc-cpu-mask")
{
    private const string Possible = "sys/devices/system/cpu/possible";
    private const string Field = "Cpus_allowed";
    private const int BitsPerDigit = 4;

    // CPU_ALLOC(3) takes whole ones.
    private const int BitsPerWord = 64;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Gc.IsWorkstation
            || !CpuSet.TryParseList(context.Files.Read(Possible)?.Trim(), out var possible)
            || possible.IsEmpty
            || context.StatusLine(Field) is not { } line)
        {
            yield break;
        }

        // The kernel prints as many bits as its masks have, in hexadecimal.
        var mask = line[(Field.Length + 1)..];
        var width = ((mask.Count(char.IsAsciiHexDigit) - 1) * BitsPerDigit) + 1;
        var asked = (possible.Last / BitsPerWord * BitsPerWord) + BitsPerWord;
        if (width > asked)
        {
            yield return Found(
                context.Gc.IsServer ? Severity.Warning : Severity.Info,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The kernel's masks of CPUs have {width} bits or more, but sysfs has CPUs {possible} only: with the server "
                    + $"GC of .NET 10.0.12 an application finds no CPU then, and ends at its start (0x8013200A)."),
                "Use a runtime that has dotnet/runtime 133497, or DOTNET_gcServer=0.",
                new Evidence($"/{Possible}", possible.ToString()),
                new Evidence($"/{CheckContext.Status}", line));
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
