namespace NumaSharp.Core.Topology;

/// <summary>Reads the nodes that sysfs shows (Documentation/ABI/stable/sysfs-devices-node).</summary>
internal sealed class NodeReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    /// <summary>MAX_NUMNODES of the widest kernel (CONFIG_NODES_SHIFT 10).</summary>
    public const int MaxNodes = 1024;

    public const string Folder = "devices/system/node";

    /// <summary>The nodes in ascending order of id; none on a kernel without NUMA.</summary>
    public IReadOnlyList<RawNode> Read(CpuSet onlineCpus)
    {
        var ids = ReadIds();
        if (ids.Count > MaxNodes)
        {
            throw new NumaTopologyException(
                sysfs.PathOf($"{Folder}/online"), $"{ids.Count} nodes", $"at most {MaxNodes} nodes are possible");
        }

        var possible = ReadIdList("possible") ?? ids;
        var withMemory = ReadIdList("has_memory");
        var nodes = new List<RawNode>();
        foreach (var id in ids)
        {
            if (ReadNode(id, onlineCpus, withMemory) is { } node)
            {
                nodes.Add(node with { Distances = ReadDistances(id, ids, possible) });
            }
        }

        return nodes;
    }

    private CpuSet ReadIds()
    {
        var online = sysfs.Read($"{Folder}/online");
        if (online.Succeeded && KernelText.TryParseList(online.Text, out var ids) && !ids.IsEmpty)
        {
            return ids;
        }

        warnings.AddUnlessMissing(online, "the nodes' directories are used instead");
        return CpuSet.FromIds(sysfs.ListNumbered(Folder, "node"));
    }

    // Only a second opinion: in captured trees these files contain binary garbage.
    private CpuSet? ReadIdList(string name)
    {
        var reading = sysfs.Read($"{Folder}/{name}");
        return reading.Succeeded && KernelText.TryParseList(reading.Text, out var ids) ? ids : null;
    }

    private RawNode? ReadNode(int id, CpuSet onlineCpus, CpuSet? withMemory)
    {
        var cpus = ReadCpus(id);
        var meminfo = sysfs.Read($"{Folder}/node{id}/meminfo");
        if (cpus is null && meminfo.IsMissing)
        {
            warnings.Add($"{sysfs.PathOf($"{Folder}/node{id}")}: has neither CPUs nor memory to read; the node is left out.");
            return null;
        }

        var online = (cpus ?? CpuSet.Empty).Intersect(onlineCpus);
        var known = KernelText.TryParseMeminfo(meminfo.Text, out var memory);
        if (!known)
        {
            warnings.Add($"{meminfo.Describe()}; without 'MemTotal: N kB' the size of the node is unknown.");
        }

        return new RawNode(id)
        {
            Cpus = online,
            Memory = memory,
            HasMemory = known ? memory.TotalBytes > 0 : withMemory?.Contains(id) ?? !online.IsEmpty,
        };
    }

    // cpumap first: cpulist still names CPUs that are offline on some kernels.
    private CpuSet? ReadCpus(int id)
    {
        var map = sysfs.Read($"{Folder}/node{id}/cpumap");
        if (map.Succeeded && CpuSet.TryParseMask(map.Text, out var cpus))
        {
            return cpus;
        }

        warnings.AddUnlessMissing(map, "cpulist is read instead");
        var list = sysfs.Read($"{Folder}/node{id}/cpulist");
        if (list.Succeeded && KernelText.TryParseList(list.Text, out cpus))
        {
            return cpus;
        }

        warnings.AddUnlessMissing(list, "the CPUs' own links to nodes are used");
        return null;
    }

    // A row has a column per online node; some kernels that took a node offline keep one per possible node.
    private Dictionary<int, int> ReadDistances(int id, CpuSet online, CpuSet possible)
    {
        var reading = sysfs.Read($"{Folder}/node{id}/distance");
        if (reading.IsMissing)
        {
            return [];
        }

        if (!KernelText.TryParseDistances(reading.Text, out var row)
            || (row.Length != online.Count && row.Length != possible.Count))
        {
            warnings.AddUnlessMissing(
                reading, $"10 to 255, once for each of the {online.Count} nodes, are allowed; distances are unknown");
            return [];
        }

        var columns = row.Length == online.Count ? online : possible;
        return columns.Zip(row).ToDictionary(static pair => pair.First, static pair => pair.Second);
    }
}
