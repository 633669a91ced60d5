namespace NumaSharp.Tool.Doctor.Checks;

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
