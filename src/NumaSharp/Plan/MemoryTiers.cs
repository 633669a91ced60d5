namespace NumaSharp.Core.Planning;

/// <summary>
/// Which memory is of a slower kind. As in the kernel (mm/memory-tiers.c, top_tier_adistance), the slowest tier that has CPUs is
/// the last to count as fast: the kernel demotes cold pages to the tiers below.
/// </summary>
internal sealed class MemoryTiers(NumaTopology topology)
{
    private readonly int? _slowestWithCpus = topology.Nodes
        .Where(static node => !(node.Cpus.IsEmpty && node.OnlineCpus.IsEmpty))
        .Max(static node => node.MemoryTier);

    /// <summary>False if the tiers are unknown.</summary>
    public bool IsSlow(NumaNode node) => node.MemoryTier > _slowestWithCpus;
}
