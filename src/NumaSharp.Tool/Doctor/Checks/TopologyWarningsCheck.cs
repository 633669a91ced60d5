namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The machine's files contradict themselves or cannot be parsed.</summary>
internal sealed class TopologyWarningsCheck() : DoctorCheck("topology-files")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient.Topology.Warnings.Count > 0)
        {
            yield return Found(
                Severity.Info,
                "Files of the machine could not be taken as they stand; the topology is the best reading of the rest.",
                "Compare 'numasharp topology' with what the machine should have; firmware updates correct most of it.",
                [.. patient.Topology.Warnings.Select(static warning => new Evidence("topology", warning))]);
        }
    }
}
