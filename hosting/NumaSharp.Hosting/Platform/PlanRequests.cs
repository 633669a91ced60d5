using NumaSharp.Core;

namespace NumaSharp.Hosting.Platform;

/// <summary>Converts options to a plan request, and a plan's problem to the key it concerns.</summary>
internal static class PlanRequests
{
    /// <summary>The plan of a machine: the one that the options were checked with, unless code has changed them since.</summary>
    /// <exception cref="NumaException">Code has changed them to what does not fit the machine.</exception>
    public static NumaPlan PlanOf(NumaOptions options, NumaTopology topology)
    {
        var request = From(options);
        return options.Plan is { } made && made.Topology == topology && made.Request == request
            ? made
            : NumaPlan.Create(topology, request);
    }

    /// <summary>The request, which later changes of the options do not reach.</summary>
    public static NumaPlanRequest From(NumaOptions options) => new()
    {
        Enabled = options.Enabled,
        Nodes = options.Binding.Nodes,
        Cpus = options.Binding.Cpus,
        ReservedCpus = options.Affinity.ReservedCpus,
        Granularity = options.Affinity.Granularity,
        AvoidSmtSiblings = options.Affinity.AvoidSmtSiblings,
        BindMode = options.Binding.Mode,
        Policy = options.Binding.Policy,
        Weights = options.Binding.Weights.AsReadOnly(),
        Map = options.Binding.Map.AsReadOnly(),
        NetworkDevice = options.Binding.NetworkDevice,
        ThreadsPerNode = options.Scheduler.ThreadsPerNode,
        LoopsPerNode = options.Transport.LoopsPerNode,
    };

    // The key of a dictionary entry follows a colon, as in configuration.
    public static string PathOf(NumaPlanProblem problem)
    {
        var (setting, entry) = problem.Setting.IndexOf(':', StringComparison.Ordinal) is >= 0 and var colon
            ? (problem.Setting[..colon], problem.Setting[colon..])
            : (problem.Setting, "");
        return PathOf(setting) + entry;
    }

    private static string PathOf(string setting) => setting switch
    {
        nameof(NumaPlanRequest.Nodes) => "Binding:Nodes",
        nameof(NumaPlanRequest.Cpus) => "Binding:Cpus",
        nameof(NumaPlanRequest.ReservedCpus) => "Affinity:ReservedCpus",
        nameof(NumaPlanRequest.Granularity) => "Affinity:Granularity",
        nameof(NumaPlanRequest.AvoidSmtSiblings) => "Affinity:AvoidSmtSiblings",
        nameof(NumaPlanRequest.BindMode) => "Binding:Mode",
        nameof(NumaPlanRequest.Policy) => "Binding:Policy",
        nameof(NumaPlanRequest.Weights) => "Binding:Weights",
        nameof(NumaPlanRequest.Map) => "Binding:Map",
        nameof(NumaPlanRequest.NetworkDevice) => "Binding:NetworkDevice",
        nameof(NumaPlanRequest.ThreadsPerNode) => "Scheduler:ThreadsPerNode",
        nameof(NumaPlanRequest.LoopsPerNode) => "Transport:LoopsPerNode",
        nameof(NumaPlanRequest.Enabled) => "Enabled",
        _ => setting,
    };
}
