using System.Collections.Concurrent;
using System.Collections.Immutable;

namespace NumaSharp.Core;

/// <summary>
/// The NUMA nodes of a machine as this process may use them. An immutable snapshot; thread-safe.
/// </summary>
public sealed class NumaTopology
{
    private const int LocalDistance = 10;
    private const int UnknownDistance = 20;

    private static readonly Lazy<NumaTopology> s_instance = new(static () => NumaPlatform.Default.Topology.Read());

    private readonly Dictionary<NumaNodeId, NumaNode> _byId;
    private readonly int[] _indexOfCpu;
    private readonly ConcurrentDictionary<NumaNodeId, IReadOnlyList<NumaNode>> _nearest = [];

    private readonly ImmutableArray<NumaCore> _cores = [];
    private readonly ImmutableArray<NumaCache> _caches = [];
    private readonly Dictionary<int, NumaCore> _coreOfCpu = [];
    private readonly Dictionary<int, NumaCache> _cacheOfCpu = [];

    /// <summary>Creates a topology; for providers and tests.</summary>
    /// <param name="source">The name of the provider that read it, such as <c>Linux</c>.</param>
    /// <param name="nodes">
    /// The nodes with CPUs or memory that this process may use: ids distinct, CPUs disjoint, none on a device.
    /// </param>
    /// <param name="warnings">What could not be read as expected, one line each.</param>
    /// <exception cref="NumaException">The nodes contradict each other, or there is no CPU at all.</exception>
    public NumaTopology(string source, IEnumerable<NumaNode> nodes, IEnumerable<string>? warnings = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(source);
        ArgumentNullException.ThrowIfNull(nodes);
        Source = source;
        Warnings = warnings is null ? [] : [.. warnings];
        ImmutableArray<NumaNode> ordered = [.. nodes.OrderBy(static node => node.Id)];
        Nodes = ordered;
        AllowedCpus = CpuSet.UnionOf(ordered.Select(static node => node.Cpus));
        Validate(ordered);
        MemoryNodes = CpuSet.FromIds(
            ordered.Where(static node => node.IsMemoryAllowed && !node.IsDevice)
                .Select(static node => node.NodeId));
        _byId = ordered.ToDictionary(static node => node.Id);
        _indexOfCpu = MapCpus(ordered);
    }

    /// <summary>
    /// The real machine, read once at first use by the platform's own provider, whatever a host configures.
    /// </summary>
    public static NumaTopology Instance => s_instance.Value;

    /// <summary>The name of the provider that read it.</summary>
    public string Source { get; }

    /// <summary>The nodes in ascending order of id; the position in this list is a node's <c>nodeIndex</c>.</summary>
    public IReadOnlyList<NumaNode> Nodes { get; }

    /// <summary>How many nodes there are, at least 1.</summary>
    public int NodeCount => Nodes.Count;

    /// <summary>All CPUs that this process may run on; never empty.</summary>
    public CpuSet AllowedCpus { get; }

    /// <summary>The ids of the nodes with memory that this process may use, device memory excluded.</summary>
    public CpuSet MemoryNodes { get; }

    /// <summary>What could not be read as expected, one line each; usually empty.</summary>
    public IReadOnlyList<string> Warnings { get; }

    /// <summary>The physical cores with an online CPU, by first CPU; empty if the provider does not know them.</summary>
    /// <exception cref="NumaException">A core has no CPU, or a CPU is in two cores.</exception>
    public IReadOnlyList<NumaCore> Cores
    {
        get => _cores;
        init
        {
            _cores = [.. value.OrderBy(static core => core.Cpus.First)];
            _coreOfCpu = MapMembers(_cores, static core => core.Cpus, "core");
        }
    }

    /// <summary>The last-level caches, in order of their first CPU; empty if the provider does not know them.</summary>
    /// <exception cref="NumaException">A cache has no CPU, or a CPU is in two of them.</exception>
    public IReadOnlyList<NumaCache> LastLevelCaches
    {
        get => _caches;
        init
        {
            _caches = [.. value.OrderBy(static cache => cache.Cpus.First)];
            _cacheOfCpu = MapMembers(_caches, static cache => cache.Cpus, "last-level cache");
        }
    }

    /// <summary>
    /// CPUs that the kernel's scheduler does not balance (<c>isolcpus=</c>, isolated cpuset partitions): threads stay on the
    /// one where they were started. May name CPUs that this process may not use.
    /// </summary>
    public CpuSet IsolatedCpus { get; init; } = CpuSet.Empty;

    /// <summary>
    /// The most bytes that this process may use on all nodes together (the limit of its cgroup and of those above it); 0 where
    /// there is none, or it is not known.
    /// </summary>
    public long MemoryLimitBytes { get; init; }

    /// <summary>
    /// Whether the kernel chooses each <see cref="NumaNode.InterleaveWeight"/> (Linux 6.16): by bandwidth, or 1 where firmware
    /// reports none. Otherwise it is 1, or what an administrator wrote.
    /// </summary>
    public bool HasAutomaticInterleaveWeights { get; init; }

    /// <summary>The network interfaces with hardware behind them, by name.</summary>
    public IReadOnlyList<NumaNetworkDevice> NetworkDevices
    {
        get;
        init => field = [.. value ?? throw new ArgumentNullException(nameof(value))];
    } = [];

    /// <summary>Finds a node by its kernel id.</summary>
    /// <param name="nodeId">The kernel id.</param>
    /// <returns>The node, or <see langword="null"/>.</returns>
    public NumaNode? FindNode(NumaNodeId nodeId) => _byId.GetValueOrDefault(nodeId);

    /// <summary>The position in <see cref="Nodes"/> of the node of a CPU.</summary>
    /// <param name="cpu">The CPU's id.</param>
    /// <returns>The position, or -1 for a CPU that is not allowed or not there.</returns>
    public int IndexOfCpu(int cpu) => (uint)cpu < (uint)_indexOfCpu.Length ? _indexOfCpu[cpu] : -1;

    /// <summary>
    /// The relative distance between two nodes (ACPI SLIT): 10 to itself; 20 to others where the kernel gives none.
    /// </summary>
    /// <param name="fromNodeId">The kernel id of the node that accesses.</param>
    /// <param name="toNodeId">The kernel id of the node that is accessed.</param>
    /// <returns>The distance.</returns>
    public int GetDistance(NumaNodeId fromNodeId, NumaNodeId toNodeId) =>
        FindNode(fromNodeId)?.Distances is { } distances && distances.TryGetValue(toNodeId, out var distance)
            ? distance
            : fromNodeId == toNodeId ? LocalDistance : UnknownDistance;

    /// <summary>All nodes, nearest first: the node itself, then by distance, then by id.</summary>
    /// <param name="nodeId">The kernel id of a node of this topology.</param>
    /// <returns>The nodes.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no such node.</exception>
    public IReadOnlyList<NumaNode> GetNodesByDistance(NumaNodeId nodeId) =>
        FindNode(nodeId) is { } from
            ? _nearest.GetOrAdd(nodeId, static (_, node) => node.Topology.SortByDistance(node.From), (Topology: this, From: from))
            : throw new ArgumentOutOfRangeException(
                nameof(nodeId), nodeId, $"Node {nodeId} is not one of this machine's nodes: {string.Join(',', _byId.Keys)}.");

    /// <summary>Finds the physical core of a CPU.</summary>
    /// <param name="cpu">The CPU's id.</param>
    /// <returns>The core, or <see langword="null"/> where it is not known.</returns>
    public NumaCore? FindCore(int cpu) => _coreOfCpu.GetValueOrDefault(cpu);

    /// <summary>Finds the last-level cache of a CPU.</summary>
    /// <param name="cpu">The CPU's id.</param>
    /// <returns>The cache, or <see langword="null"/> where it is not known.</returns>
    public NumaCache? FindLastLevelCache(int cpu) => _cacheOfCpu.GetValueOrDefault(cpu);

    /// <summary>The last-level cache that all of these CPUs share; <see langword="null"/> if none is known.</summary>
    internal NumaCache? FindSharedCache(CpuSet cpus) =>
        FindLastLevelCache(cpus.First) is { } cache && cpus.IsSubsetOf(cache.Cpus) ? cache : null;

    private static void Validate(ImmutableArray<NumaNode> nodes)
    {
        if (nodes.All(static node => node.Cpus.IsEmpty))
        {
            throw new NumaException("The topology has no node with a CPU that this process may use.");
        }

        var seen = CpuSet.Empty;
        for (var i = 0; i < nodes.Length; i++)
        {
            var node = nodes[i];
            if (i > 0 && nodes[i - 1].Id == node.Id)
            {
                throw new NumaException($"The topology has node id {node.Id} twice.");
            }

            if (node is { Kind: NumaNodeKind.Device, Cpus.IsEmpty: false })
            {
                throw new NumaException(
                    $"Node {node.Id} is of kind Device, the memory of a device, and has CPUs {node.Cpus}: a node with CPUs "
                    + "must be of another kind.");
            }

            if (seen.Overlaps(node.Cpus))
            {
                throw new NumaException($"CPUs {seen.Intersect(node.Cpus)} are on node {node.Id} and on another node.");
            }

            seen = seen.Union(node.Cpus);
        }
    }

    private static int[] MapCpus(ImmutableArray<NumaNode> nodes)
    {
        var map = new int[nodes.Max(static node => node.Cpus.Last) + 1];
        Array.Fill(map, -1);
        for (var index = 0; index < nodes.Length; index++)
        {
            foreach (var cpu in nodes[index].Cpus)
            {
                map[cpu] = index;
            }
        }

        return map;
    }

    // The node itself comes first even where firmware claims that another is nearer.
    private IReadOnlyList<NumaNode> SortByDistance(NumaNode from) =>
    (ImmutableArray<NumaNode>)
    [
        .. Nodes.OrderBy(to => to.Id == from.Id ? int.MinValue : GetDistance(from.Id, to.Id))
            .ThenBy(static to => to.Id),
    ];

    private static Dictionary<int, T> MapMembers<T>(ImmutableArray<T> groups, Func<T, CpuSet> cpusOf, string what)
        where T : class
    {
        var map = new Dictionary<int, T>();
        foreach (var group in groups)
        {
            var cpus = cpusOf(group);
            if (cpus.IsEmpty)
            {
                throw new NumaException($"The topology has a {what} without CPUs.");
            }

            foreach (var cpu in cpus)
            {
                if (!map.TryAdd(cpu, group))
                {
                    throw new NumaException($"CPU {cpu} belongs to one {what} ({cpusOf(map[cpu])}) and to another ({cpus}).");
                }
            }
        }

        return map;
    }
}
