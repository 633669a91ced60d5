namespace NumaSharp.Tool.Doctor.Checks;

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
