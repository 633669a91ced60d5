using NumaSharp.Core;

namespace NumaSharp.Tool.Plan;

/// <summary>The output of <c>plan --format json</c> (docs/guide/tool.md).</summary>
internal sealed record PlanDocument(
    string Source,
    bool Enabled,
    string BindMode,
    string Transport,
    CpuSet Cpus,
    IReadOnlyList<NumaNodePlan> Nodes,
    IReadOnlyList<string> Notes)
{
    public static PlanDocument Of(PlannedHost host) => new(
        host.Plan.Topology.Source,
        host.Plan.IsEnabled,
        host.Plan.BindMode.ToString(),
        host.Transport,
        host.Plan.Cpus,
        host.Plan.Nodes,
        [.. host.Notes()]);
}
