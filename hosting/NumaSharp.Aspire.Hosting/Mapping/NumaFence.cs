using System.Diagnostics.CodeAnalysis;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Mapping;

/// <summary>Where on a machine a resource may run, according to the plan that its own host would make.</summary>
internal static class NumaFence
{
    /// <summary>Makes the plan; without a fence, that of the whole machine.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="topology">The machine.</param>
    /// <param name="plan">The plan, if the settings fit the machine.</param>
    /// <param name="misfits">What the settings ask for and the machine lacks, one line each.</param>
    public static bool TryPlan(
        NumaResourceSettings settings,
        NumaTopology topology,
        [NotNullWhen(true)] out NumaPlan? plan,
        out IReadOnlyList<string> misfits)
    {
        var fits = NumaPlan.TryCreate(topology, RequestOf(settings), out plan, out var problems);
        misfits = [.. problems.Select(static problem => problem.ToString())];
        return fits;
    }

    /// <summary>What the settings ask for and the machine lacks, one line each.</summary>
    public static IReadOnlyList<string> FindMisfits(NumaResourceSettings settings, NumaTopology topology)
    {
        _ = TryPlan(settings, topology, out _, out var misfits);
        return misfits;
    }

    /// <summary>The plan; without a fence, that of the whole machine.</summary>
    /// <exception cref="NumaException">The settings do not fit the machine.</exception>
    public static NumaPlan PlanOf(NumaResourceSettings settings, NumaTopology topology) =>
        NumaPlan.Create(topology, RequestOf(settings));

    /// <summary>The number of nodes with their own workers.</summary>
    public static int CountOfServing(NumaPlan plan) => plan.Nodes.Count(static node => node.ServesItself);

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
