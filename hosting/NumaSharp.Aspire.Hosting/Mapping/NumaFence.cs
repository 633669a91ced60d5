using System.Diagnostics.CodeAnalysis;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Mapping;

/// <summary>Where on a machine a resource may run, according to the plan that its own host would make.</summary>
internal static class NumaFence
{
    /// <summary>Makes the plan; without a fence, that of the whole machine.</summary>
    /// <param name="options">The settings.</param>
    /// <param name="topology">The machine.</param>
    /// <param name="plan">The plan, if the settings fit the machine.</param>
    /// <param name="misfits">What the settings ask for and the machine lacks, one line each.</param>
    public static bool TryPlan(
        NumaResourceOptions options,
        NumaTopology topology,
        [NotNullWhen(true)] out NumaPlan? plan,
        out IReadOnlyList<string> misfits)
    {
        var fits = NumaPlan.TryCreate(topology, RequestOf(options), out plan, out var problems);
        misfits = [.. problems.Select(static problem => problem.ToString())];
        return fits;
    }

    /// <summary>What the settings ask for and the machine lacks, one line each.</summary>
    public static IReadOnlyList<string> FindMisfits(NumaResourceOptions options, NumaTopology topology)
    {
        _ = TryPlan(options, topology, out _, out var misfits);
        return misfits;
    }

    /// <summary>The plan; without a fence, that of the whole machine.</summary>
    /// <exception cref="NumaException">The settings do not fit the machine.</exception>
    public static NumaPlan PlanOf(NumaResourceOptions options, NumaTopology topology) =>
        NumaPlan.Create(topology, RequestOf(options));

    /// <summary>The number of nodes with their own workers.</summary>
    public static int CountOfServing(NumaPlan plan) => plan.Nodes.Count(static node => node.ServesItself);

    private static NumaPlanRequest RequestOf(NumaResourceOptions options) => new()
    {
        Nodes = options.Nodes is { } nodes ? CpuSet.ParseList(nodes) : null,
        Cpus = options.Cpus is { } cpus ? CpuSet.ParseList(cpus) : null,
        BindMode = options.BindMode ?? NumaBindMode.Advisory,
        // Custom takes a map, which is not read here; it only affects where memory comes from.
        Policy = options.MemoryPolicy is { } policy and not NumaMemoryPolicy.Custom ? policy : NumaMemoryPolicy.Local,
        ThreadsPerNode = options.ThreadsPerNode ?? 0,
        LoopsPerNode = options.LoopsPerNode ?? 0,
    };
}
