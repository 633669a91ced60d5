namespace NumaSharp.Core.Topology;

/// <summary>Reads which tier each node's memory is in (Documentation/ABI/testing/sysfs-kernel-mm-memory-tiers).</summary>
internal sealed class MemoryTierReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const string Folder = "devices/virtual/memory_tiering";

    /// <summary>The tiers by node id. The kernel has a node in one tier only; of several the fastest counts.</summary>
    public IReadOnlyDictionary<int, int> Read()
    {
        var tiers = new Dictionary<int, int>();
        foreach (var tier in sysfs.ListNumbered(Folder, "memory_tier").Take(NodeReader.MaxNodes))
        {
            var reading = sysfs.Read($"{Folder}/memory_tier{tier}/nodelist");
            if (!reading.Succeeded || !KernelText.TryParseList(reading.Text, out var nodes))
            {
                warnings.AddUnlessMissing(reading, "the tier of its nodes is unknown");
                continue;
            }

            foreach (var node in nodes.TakeWhile(static node => node < NodeReader.MaxNodes))
            {
                tiers.TryAdd(node, tier);
            }
        }

        return tiers;
    }
}
