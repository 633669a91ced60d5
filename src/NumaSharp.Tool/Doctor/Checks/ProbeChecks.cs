using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>mbind(2), or the system's equivalent, is refused: memory is placed by first touch only.</summary>
internal sealed class BindCheck() : DoctorCheck("mbind-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Plan.BindMode == NumaBindMode.None || context.Probe is not { } probe)
        {
            yield break;
        }

        var isStrict = context.Plan.BindMode == NumaBindMode.Strict;
        var nodeIds = CpuSet.FromIds(
            context.Plan.Nodes.SelectMany(static node => node.MemoryNodeIds).Select(static id => id.Value));
        var (severity, consequence) = (isStrict, context.Topology.MemoryNodes.Union(nodeIds).Count) switch
        {
            (true, _) => (Severity.Error, "With Numa:Binding:Mode=Strict the host does not start."),
            (false, 1) => (Severity.Info, "The process may use no other node's memory anyway, so nothing is lost."),
            _ => (Severity.Warning, FallbackCatalog.MemoryBind.Effect),
        };
        foreach (var nodeId in context.Plan.Nodes.Select(static node => node.MemoryNodeId).Distinct())
        {
            var result = probe.TryBind(nodeId, isStrict);
            if (!result.Succeeded)
            {
                yield return Found(
                    severity,
                    $"Memory cannot be bound to node {nodeId}: {result}. {consequence}",
                    probe.IsLinux ? AdviceForLinux(result.Failure) : AdviceForOthers(result.Failure, isStrict),
                    EvidenceOf(context, probe, result));
                yield break;
            }
        }
    }

    private static string AdviceForLinux(NumaFailure failure) => failure switch
    {
        NumaFailure.NotSupported => RefusalRemedies.BindNothingOnLinux,
        NumaFailure.InvalidArgument => $"{RefusalRemedies.NameOtherNodes} Or add it to cpuset.mems.",
        NumaFailure.OutOfMemory => FallbackCatalog.MemoryShortage.Remedy,
        _ => FallbackCatalog.MemoryBind.Remedy,
    };

    private static string AdviceForOthers(NumaFailure failure, bool isStrict) => (failure, isStrict) switch
    {
        (NumaFailure.NotSupported, true) => RefusalRemedies.BindAdvisorily,
        (NumaFailure.NotSupported, false) => RefusalRemedies.BindNothing,
        (NumaFailure.OutOfMemory, _) => RefusalRemedies.FreeMemory,
        _ => RefusalRemedies.SeeSystem,
    };

    private static Evidence[] EvidenceOf(CheckContext context, ISystemProbe probe, NumaResult result)
    {
        var answer = new Evidence(probe.IsLinux ? "mbind" : nameof(INumaMemoryProvider.Bind), result.ToString());
        var mayBeSeccomp = probe.IsLinux && result.Failure is (NumaFailure.NotPermitted or NumaFailure.NotSupported);
        return mayBeSeccomp
            ? [answer, context.File(CheckContext.Status) with { Value = context.StatusLine("Seccomp") ?? "Seccomp: unknown" }]
            : [answer];
    }
}

/// <summary>sched_setaffinity(2), or the system's equivalent, is refused: threads run anywhere.</summary>
internal sealed class PinCheck() : DoctorCheck("pinning-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Plan.IsEnabled && context.Probe is { } probe && probe.TryPin() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Warning,
                $"Threads cannot be pinned: {result}. {FallbackCatalog.AffinityPin.Effect}",
                probe.IsLinux ? FallbackCatalog.AffinityPin.Remedy : RefusalRemedies.SeeSystem,
                new Evidence(
                    probe.IsLinux ? "sched_setaffinity" : nameof(INumaAffinityProvider.SetThreadCpus), result.ToString()));
        }
    }
}

/// <summary>move_pages(2), or the system's equivalent, is refused: the node of a page is unknown.</summary>
internal sealed class QueryNodeCheck() : DoctorCheck("move-pages-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Plan.IsEnabled && context.Probe is { } probe && probe.TryQueryNode() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Info,
                $"The node of a page cannot be queried: {result}. Only tools and pages that show it are affected.",
                probe.IsLinux ? RefusalRemedies.AllowMovePages : RefusalRemedies.SeeSystem,
                new Evidence(probe.IsLinux ? "move_pages" : nameof(INumaMemoryProvider.QueryNode), result.ToString()));
        }
    }
}
