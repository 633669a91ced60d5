namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>
/// CPUs that the scheduler does not balance: a plan omits them or gives each thread its own; the runtime's own threads pile up on
/// one of them.
/// </summary>
internal sealed class IsolatedCpusCheck() : DoctorCheck("isolated-cpus")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var allowed = context.Topology.AllowedCpus;
        var isolated = allowed.Intersect(context.Topology.IsolatedCpus);
        if (isolated.Count > 1 && isolated.Count == allowed.Count)
        {
            yield return Found(
                Severity.Warning,
                $"All CPUs that the process may use ({isolated}) are isolated: the kernel does not move threads between them, so "
                + "threads of the thread pool and the GC stay on the CPU where they started.",
                "Also allow the process some CPUs that are not isolated, and name the isolated ones in Numa:Binding:Cpus.",
                Isolated(context));
        }

        var request = context.Plan.Request;
        var idle = isolated.Except(context.Plan.Cpus).Except(request.ReservedCpus);
        if (request is { Enabled: true, Cpus: null } && !idle.IsEmpty)
        {
            yield return Found(
                Severity.Info,
                $"CPUs {idle} are isolated and left out of the plan.",
                $"If they are meant for this service, set Numa:Binding:Cpus={allowed}. Otherwise, nothing.",
                Isolated(context));
        }
    }

    private static Evidence Isolated(CheckContext context) => new("isolated CPUs", context.Topology.IsolatedCpus.ToString());
}
