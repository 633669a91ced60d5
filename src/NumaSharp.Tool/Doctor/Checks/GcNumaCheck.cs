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
                "The collector ignores nodes: its heaps' memory is wherever it was touched first.",
                "Leave out DOTNET_GCNumaAware; 1 is the default.",
                setting.Evidence);
        }
    }
}
