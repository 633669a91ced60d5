using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

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
