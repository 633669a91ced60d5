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
                "Some files that describe the machine are missing or contradict each other; the topology is read from the rest.",
                "Compare 'numasharp topology' with the real machine; firmware updates correct most of this.",
                [.. patient.Topology.Warnings.Select(static warning => new Evidence("topology", warning))]);
        }
    }
}
