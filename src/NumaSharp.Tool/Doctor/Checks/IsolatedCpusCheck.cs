namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The plan runs threads where the scheduler does not balance.</summary>
internal sealed class IsolatedCpusCheck() : DoctorCheck("isolated-cpus")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        var isolated = patient.Plan.IsEnabled ? patient.Plan.Cpus.Intersect(patient.Topology.IsolatedCpus) : Core.CpuSet.Empty;
        var shared = patient.Plan.Nodes
            .SelectMany(static node => node.ThreadCpus.Concat(node.LoopCpus))
            .Where(cpus => cpus.Count > 1 && cpus.Overlaps(isolated))
            .ToArray();
        if (shared.Length > 0)
        {
            yield return Found(
                Severity.Warning,
                $"CPUs {isolated} of the plan are isolated: the kernel does not move threads between them, so that several may "
                + "stay on one while others idle.",
                $"Leave them to others, Numa:Affinity:ReservedCpus={isolated}, or pin each thread to one CPU, "
                + "Numa:Affinity:Granularity=Cpu.",
                new Evidence("isolated CPUs", patient.Topology.IsolatedCpus.ToString()),
                new Evidence("threads on several CPUs", $"{shared.Length}"));
        }
    }
}
