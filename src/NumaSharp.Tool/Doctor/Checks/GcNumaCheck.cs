namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The collector is configured to ignore nodes.</summary>
internal sealed class GcNumaCheck() : DoctorCheck("gc-numa-aware")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient is { HasSeveralNodes: true, Plan.IsEnabled: true }
            && patient.Gc.Flag("GCNumaAware", "NumaAware") is { Value: false } setting)
        {
            yield return Found(
                Severity.Warning,
                "The GC ignores nodes: memory of its heaps is wherever it was touched first.",
                "Remove DOTNET_GCNumaAware; 1 is the default.",
                setting.Evidence);
        }
    }
}
