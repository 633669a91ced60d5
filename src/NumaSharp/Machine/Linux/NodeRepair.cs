namespace NumaSharp.Core.Linux;

/// <summary>Makes every online CPU belong to exactly one node, whatever firmware and hot-unplug left behind.</summary>
internal sealed class NodeRepair(SysfsReader sysfs, TopologyWarnings warnings)
{
    public IReadOnlyList<RawNode> Repair(IReadOnlyList<RawNode> nodes, CpuSet onlineCpus)
    {
        var distinct = DropOverlapping(nodes);
        var homeless = distinct.Aggregate(onlineCpus, static (cpus, node) => cpus.Except(node.Cpus));
        return homeless.IsEmpty ? distinct : Adopt(distinct, homeless);
    }

    // Firmware without a working SRAT gives every node all CPUs. hwloc keeps the first such node and ignores the others.
    private List<RawNode> DropOverlapping(IReadOnlyList<RawNode> nodes)
    {
        var kept = new List<RawNode>();
        var seen = CpuSet.Empty;
        foreach (var node in nodes)
        {
            if (seen.Overlaps(node.Cpus))
            {
                var shared = NumaTopologyException.Quote(seen.Intersect(node.Cpus).ToString());
                warnings.Add(
                    $"{sysfs.PathOf($"{NodeReader.Folder}/node{node.Id}/cpumap")}: CPUs {shared} are on an earlier node, too "
                    + "(firmware error); the node is left out.");
                continue;
            }

            seen = seen.Union(node.Cpus);
            kept.Add(node);
        }

        return kept;
    }

    // A CPU of an offline node keeps its link to it; getcpu(2) reports that node, so it is listed without memory.
    private List<RawNode> Adopt(List<RawNode> nodes, CpuSet homeless)
    {
        var result = nodes.ToDictionary(static node => node.Id);
        var fallback = nodes.Find(static node => !node.Cpus.IsEmpty) ?? nodes[0];
        foreach (var group in homeless.GroupBy(HomeOf))
        {
            var cpus = CpuSet.FromIds(group);
            var id = group.Key is { } home && CanAdopt(home, result) ? home : fallback.Id;
            var node = result.GetValueOrDefault(id) ?? new RawNode(id) { Distances = DistancesTo(id, nodes) };
            result[id] = node with { Cpus = node.Cpus.Union(cpus) };
            warnings.Add(
                $"{sysfs.PathOf(NodeReader.Folder)}: no node shows the online CPUs "
                + $"{NumaTopologyException.Quote(cpus.ToString())}; they are put on node {id}.");
        }

        return [.. result.Values.OrderBy(static node => node.Id)];
    }

    // A node that sysfs shows and that is missing here was left out for overlapping.
    private bool CanAdopt(int home, Dictionary<int, RawNode> nodes) =>
        nodes.ContainsKey(home)
        || (nodes.Count < NodeReader.MaxNodes && !sysfs.DirectoryExists($"{NodeReader.Folder}/node{home}"));

    private int? HomeOf(int cpu)
    {
        if (cpu >= OnlineCpuReader.MaxInspected)
        {
            return null;
        }

        var links = sysfs.ListNumbered($"{OnlineCpuReader.Folder}/cpu{cpu}", "node");
        return links.Count > 0 ? links[0] : null;
    }

    private static Dictionary<int, int> DistancesTo(int id, List<RawNode> nodes) =>
        nodes.Where(node => node.Distances.ContainsKey(id)).ToDictionary(static node => node.Id, node => node.Distances[id]);
}
