using System.Globalization;

namespace NumaSharp.Core.Linux;

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

/// <summary>A node as sysfs shows it, before anything is intersected.</summary>
internal sealed record RawNode(int Id)
{
    /// <summary>The node's CPUs that are online.</summary>
    public CpuSet Cpus { get; init; } = CpuSet.Empty;

    public NodeMeminfo Memory { get; init; }

    public bool HasMemory { get; init; }

    public bool IsDevice { get; init; }

    /// <summary>Whether it stands for the whole machine, because the kernel knows no nodes.</summary>
    public bool IsMachine { get; init; }

    public IReadOnlyDictionary<int, int> Distances { get; init; } = new Dictionary<int, int>();

    public NumaNodeKind Kind => this switch
    {
        { IsDevice: true } => NumaNodeKind.Device,
        { HasMemory: false } => NumaNodeKind.Cpu,
        { Cpus.IsEmpty: true } => NumaNodeKind.Memory,
        _ => NumaNodeKind.Normal,
    };
}

/// <summary>
/// Finds nodes that are a GPU's memory: the NVIDIA driver names them in driver/nvidia/gpus/*/numa_status as "Node: 250"
/// (-1 where the memory is not a node).
/// </summary>
internal static class DeviceNodes
{
    private const string Folder = "driver/nvidia/gpus";
    private const int MaxGpus = 1024;

    public static IReadOnlyList<RawNode> Mark(SysfsReader proc, IReadOnlyList<RawNode> nodes)
    {
        var devices = new HashSet<int>();
        foreach (var gpu in proc.ListNames(Folder).Take(MaxGpus))
        {
            var status = proc.Read($"{Folder}/{gpu}/numa_status");
            if (KernelText.TryFindField(status.Text, "Node", out var value)
                && int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var id))
            {
                devices.Add(id);
            }
        }

        // A node with CPUs is never only a device, whatever a driver says.
        return [.. nodes.Select(node => node with { IsDevice = node.Cpus.IsEmpty && devices.Contains(node.Id) })];
    }
}

/// <summary>Creates the nodes of a topology from their raw form and from what sysfs reports of their memory.</summary>
internal sealed class NodeDetails(MachineFiles files, TopologyWarnings warnings)
{
    private readonly IReadOnlyDictionary<int, int> _tiers = new MemoryTierReader(files.Sysfs, warnings).Read();
    private readonly MemoryAccessReader _access = new(files.Sysfs, warnings);
    private readonly HugePageReader _hugePages = new(files, warnings);
    private readonly InterleaveWeights _weights = new(files.Sysfs);

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
        InterleaveWeight = node.IsMachine || !node.HasMemory ? null : _weights.WeightOf(node.Id),
        Access = node.IsMachine ? [] : _access.Read(node.Id),
        HugePages = node.IsMachine ? _hugePages.ReadWithoutNuma() : _hugePages.Read(node.Id),
        Distances = node.Distances.ToDictionary(static pair => new NumaNodeId(pair.Key), static pair => pair.Value),
    };
}
