using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Mapping;

/// <summary>Where on a machine a resource may run, according to the plan that its own host would make.</summary>
internal static class NumaFence
{
    /// <summary>What the settings ask for and the machine lacks, one line each.</summary>
    public static IReadOnlyList<string> FindMisfits(NumaResourceSettings settings, NumaTopology topology) =>
        [.. NumaPlan.Validate(topology, RequestOf(settings)).Select(static problem => problem.ToString())];

    /// <summary>The plan; without a fence, that of the whole machine.</summary>
    /// <exception cref="NumaException">The settings do not fit the machine.</exception>
    public static NumaPlan PlanOf(NumaResourceSettings settings, NumaTopology topology) =>
        NumaPlan.Create(topology, RequestOf(settings));

    /// <summary>The number of nodes with their own workers.</summary>
    /// <exception cref="NumaException">The settings do not fit the machine.</exception>
    public static int CountOfServing(NumaResourceSettings settings, NumaTopology topology) =>
        PlanOf(settings, topology).Nodes.Count(static node => node.ServesItself);

    private static NumaPlanRequest RequestOf(NumaResourceSettings settings) => new()
    {
        Nodes = settings.Nodes is { } nodes ? CpuSet.ParseList(nodes) : null,
        Cpus = settings.Cpus is { } cpus ? CpuSet.ParseList(cpus) : null,
        BindMode = settings.BindMode ?? NumaBindMode.Advisory,
        // Custom takes a map, which is not read here; it only affects where memory comes from.
        Policy = settings.MemoryPolicy is { } policy and not NumaMemoryPolicy.Custom ? policy : NumaMemoryPolicy.Local,
        ThreadsPerNode = settings.ThreadsPerNode ?? 0,
        LoopsPerNode = settings.LoopsPerNode ?? 0,
    };
}
