using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>What the options ask of a plan, and which key a plan's problem is about.</summary>
internal static class PlanRequests
{
    public static NumaPlanRequest From(NumaOptions options) => new()
    {
        Enabled = options.Enabled,
        Nodes = options.Binding.Nodes,
        Cpus = options.Binding.Cpus,
        ReservedCpus = options.Affinity.ReservedCpus,
        BindMode = options.Binding.Mode,
        ThreadsPerNode = options.Scheduler.ThreadsPerNode,
        LoopsPerNode = options.Transport.LoopsPerNode,
    };

    public static string PathOf(NumaPlanProblem problem) => problem.Setting switch
    {
        nameof(NumaPlanRequest.Nodes) => "Binding:Nodes",
        nameof(NumaPlanRequest.Cpus) => "Binding:Cpus",
        nameof(NumaPlanRequest.ReservedCpus) => "Affinity:ReservedCpus",
        nameof(NumaPlanRequest.BindMode) => "Binding:Mode",
        nameof(NumaPlanRequest.ThreadsPerNode) => "Scheduler:ThreadsPerNode",
        nameof(NumaPlanRequest.LoopsPerNode) => "Transport:LoopsPerNode",
        nameof(NumaPlanRequest.Enabled) => "Enabled",
        _ => problem.Setting,
    };
}
