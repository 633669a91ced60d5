using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The collector's heaps are configured for CPUs outside the plan.</summary>
internal sealed class GcAffinityCheck() : DoctorCheck("gc-affinity")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (!patient.Plan.IsEnabled)
        {
            yield break;
        }

        var settings = new List<GcValue<CpuSet>?>
        {
            patient.Gc.Mask("GCHeapAffinitizeMask", "HeapAffinitizeMask"),
            patient.Gc.Ranges("GCHeapAffinitizeRanges", "HeapAffinitizeRanges"),
        };
        var cpus = patient.Plan.Cpus;
        foreach (var setting in settings.OfType<GcValue<CpuSet>>().Where(setting => !setting.Value.IsSubsetOf(cpus)))
        {
            yield return Found(
                Severity.Warning,
                $"The collector's heaps are for CPUs {setting.Value}, and the plan has CPUs {cpus}: heaps on CPUs "
                + $"{setting.Value.Except(cpus)} serve no thread of ours and are filled from afar.",
                $"DOTNET_GCHeapAffinitizeRanges={cpus}, or leave it out.",
                setting.Evidence,
                new Evidence("CPUs of the plan", cpus.ToString()));
        }
    }
}
