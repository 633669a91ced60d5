using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The machine's files contradict themselves or cannot be parsed.</summary>
internal sealed class TopologyWarningsCheck() : DoctorCheck("topology-files")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Topology.Warnings.Count > 0)
        {
            yield return Found(
                Severity.Info,
                "Some files that describe the machine are missing or contradict each other; the topology is read from the rest.",
                FallbackCatalog.TopologyRead.Remedy,
                [.. context.Topology.Warnings.Select(static warning => new Evidence("topology", warning))]);
        }
    }
}
