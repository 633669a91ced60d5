namespace NumaSharp.Core.Topology;

/// <summary>Creates the nodes of a topology from their raw form and from what sysfs reports of their memory.</summary>
internal sealed class NodeDetails(MachineFiles files, TopologyWarnings warnings)
{
    private readonly IReadOnlyDictionary<int, int> _tiers = new MemoryTierReader(files.Sysfs, warnings).Read();
    private readonly MemoryAccessReader _access = new(files.Sysfs, warnings);
    private readonly HugePageReader _hugePages = new(files, warnings);

    public NumaNode Describe(RawNode node, CpuSet allowedCpus, bool isMemoryAllowed) => new()
    {
        Id = new(node.Id),
        Cpus = allowedCpus,
        OnlineCpus = node.Cpus,
        MemoryBytes = node.Memory.TotalBytes,
        MemoryFreeBytes = node.Memory.FreeBytes,
        IsMemoryAllowed = isMemoryAllowed,
        Kind = node.Kind,
        MemoryTier = _tiers.TryGetValue(node.Id, out var tier) ? tier : null,
        Access = node.IsMachine ? [] : _access.Read(node.Id),
        HugePages = node.IsMachine ? _hugePages.ReadWithoutNuma() : _hugePages.Read(node.Id),
        Distances = node.Distances.ToDictionary(static pair => new NumaNodeId(pair.Key), static pair => pair.Value),
    };
}
