using System.Collections.ObjectModel;

namespace NumaSharp.Core;

/// <summary>One NUMA node, as this process may use it. Immutable: lists and distances are copied.</summary>
public sealed record NumaNode
{
    private readonly CpuSet _cpus = CpuSet.Empty;
    private IReadOnlyList<int>? _cpuIds;

    /// <summary>The kernel's id of the node. Ids may have gaps.</summary>
    public required NumaNodeId Id { get; init; }

    /// <summary>
    /// The number of <see cref="Id"/>. It is not a position: a <c>nodeIndex</c> is the place of the node in
    /// <see cref="NumaTopology.Nodes"/>.
    /// </summary>
    public int NodeId => Id.Value;

    /// <summary>
    /// The online CPUs of the node that this process may run on (affinity mask and cpuset applied). Empty for nodes without CPUs
    /// and for nodes with forbidden CPUs only.
    /// </summary>
    public CpuSet Cpus
    {
        get => _cpus;
        init
        {
            _cpus = value;
            _cpuIds = null;
        }
    }

    /// <summary>The online CPUs of the node, allowed or not.</summary>
    public CpuSet OnlineCpus { get; init; } = CpuSet.Empty;

    /// <summary><see cref="Cpus"/> as a list in ascending order.</summary>
    public IReadOnlyList<int> CpuIds => _cpuIds ??= [.. Cpus];

    /// <summary>Total memory in bytes (MemTotal of the node's meminfo), 0 for nodes without memory.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>Free memory in bytes when the topology was read (MemFree of the node's meminfo).</summary>
    public long MemoryFreeBytes { get; init; }

    /// <summary>Whether the node has memory and this process may allocate there (Mems_allowed, cpuset.mems).</summary>
    public bool IsMemoryAllowed { get; init; }

    /// <summary>What the node has.</summary>
    public NumaNodeKind Kind { get; init; }

    internal bool IsDevice => Kind == NumaNodeKind.Device;

    /// <summary>
    /// The memory tier (Documentation/ABI/testing/sysfs-kernel-mm-memory-tiers): smaller is faster; <see langword="null"/>
    /// where the kernel gives none.
    /// </summary>
    public int? MemoryTier { get; init; }

    /// <summary>
    /// How many pages the node gives in each of its turns when nodes take turns by weight (MPOL_WEIGHTED_INTERLEAVE,
    /// Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave), 1 to 255; <see langword="null"/> without memory,
    /// and where the kernel has no such weights (before Linux 6.9).
    /// </summary>
    public int? InterleaveWeight { get; init; }

    /// <summary>How fast the node's memory is, by access class; empty if firmware does not report it (no HMAT).</summary>
    public IReadOnlyList<NumaMemoryAccess> Access
    {
        get;
        init => field = [.. value ?? throw new ArgumentNullException(nameof(value))];
    } = [];

    /// <summary>The node's pools of huge pages, smallest page first; empty where the kernel has none.</summary>
    public IReadOnlyList<NumaHugePages> HugePages
    {
        get;
        init => field = [.. value ?? throw new ArgumentNullException(nameof(value))];
    } = [];

    /// <summary>
    /// The relative distance to other nodes by node id (ACPI SLIT: 10 is local), empty where the kernel gives none.
    /// </summary>
    public IReadOnlyDictionary<NumaNodeId, int> Distances
    {
        get;
        init => field = new Dictionary<NumaNodeId, int>(value ?? throw new ArgumentNullException(nameof(value))).AsReadOnly();
    } = ReadOnlyDictionary<NumaNodeId, int>.Empty;

    /// <summary>Whether both describe the same node in the same state, distances included.</summary>
    /// <param name="other">The other node.</param>
    /// <returns>Whether they are equal.</returns>
    public bool Equals(NumaNode? other) =>
        other is not null
        && Id == other.Id
        && Kind == other.Kind
        && MemoryBytes == other.MemoryBytes
        && MemoryFreeBytes == other.MemoryFreeBytes
        && IsMemoryAllowed == other.IsMemoryAllowed
        && Cpus.Equals(other.Cpus)
        && OnlineCpus.Equals(other.OnlineCpus)
        && MemoryTier == other.MemoryTier
        && InterleaveWeight == other.InterleaveWeight
        && Access.SequenceEqual(other.Access)
        && HugePages.SequenceEqual(other.HugePages)
        && HasSameDistances(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Id, Kind, MemoryBytes, Cpus);

    private bool HasSameDistances(NumaNode other) =>
        Distances.Count == other.Distances.Count
        && Distances.All(pair => other.Distances.TryGetValue(pair.Key, out var distance) && distance == pair.Value);
}

/// <summary>
/// How fast a node's memory is for its best initiators, according to firmware (ACPI HMAT,
/// Documentation/admin-guide/mm/numaperf.rst). Immutable.
/// </summary>
public sealed record NumaMemoryAccess
{
    /// <summary>Takes the values that are always known.</summary>
    /// <param name="accessClass"><see cref="AccessClass"/></param>
    /// <param name="initiatorNodes"><see cref="InitiatorNodes"/></param>
    public NumaMemoryAccess(int accessClass, CpuSet initiatorNodes)
    {
        AccessClass = accessClass;
        InitiatorNodes = initiatorNodes;
    }

    /// <summary>0: the best initiators of any kind; 1: the best that are CPUs.</summary>
    public int AccessClass { get; init; }

    /// <summary>The kernel ids of the nodes that reach the memory at these figures.</summary>
    public CpuSet InitiatorNodes { get; init; }

    /// <summary>In nanoseconds; <see langword="null"/> if firmware does not report it.</summary>
    public int? ReadLatency { get; init; }

    /// <summary>In nanoseconds; <see langword="null"/> if firmware does not report it.</summary>
    public int? WriteLatency { get; init; }

    /// <summary>In MB/s; <see langword="null"/> if firmware does not report it.</summary>
    public int? ReadBandwidth { get; init; }

    /// <summary>In MB/s; <see langword="null"/> if firmware does not report it.</summary>
    public int? WriteBandwidth { get; init; }
}

/// <summary>A node's pool of huge pages of one size (<c>nodeN/hugepages/hugepages-*kB</c>, hugetlbpage.rst). Immutable.</summary>
public sealed record NumaHugePages
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="pageBytes"><see cref="PageBytes"/></param>
    /// <param name="total"><see cref="Total"/></param>
    /// <param name="free"><see cref="Free"/></param>
    public NumaHugePages(long pageBytes, long total, long free)
    {
        PageBytes = pageBytes;
        Total = total;
        Free = free;
    }

    /// <summary>The size of a page in bytes, such as 2 MiB.</summary>
    public long PageBytes { get; init; }

    /// <summary>How many pages the pool has.</summary>
    public long Total { get; init; }

    /// <summary>How many of them are not in use.</summary>
    public long Free { get; init; }
}

/// <summary>What a node has.</summary>
public enum NumaNodeKind
{
    /// <summary>CPUs and memory.</summary>
    Normal,

    /// <summary>Memory without CPUs, such as a CXL expander or persistent memory in system-RAM mode.</summary>
    Memory,

    /// <summary>CPUs without memory of their own.</summary>
    Cpu,

    /// <summary>
    /// The memory of a device, such as a GPU, that the kernel shows as a node; has no CPUs. A plan uses it only if
    /// <see cref="NumaPlanRequest.Nodes"/> names it.
    /// </summary>
    Device,
}
