using System.Collections.Immutable;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>A real machine: what its kernel reports, as facts. Sizes are in kB, as in the kernel's files.</summary>
public sealed record MachineFacts
{
    public required string Name { get; init; }

    /// <summary>Its peculiarities, for readers.</summary>
    public string About { get; init; } = "";

    public ImmutableSortedSet<MachineQuirk> Quirks { get; init; } = [];

    /// <summary>How many bits the kernel's masks of CPUs have.</summary>
    public int MaskBits { get; init; } = 32;

    public CpuSet OnlineCpus { get; init; } = CpuSet.Empty;

    /// <summary>The CPUs that have a folder.</summary>
    public CpuSet PresentCpus { get; init; } = CpuSet.Empty;

    public CpuSet? PossibleCpus { get; init; }

    /// <summary>The CPUs that have a file cpuN/online of their own: those that can be taken offline.</summary>
    public CpuSet HotpluggableCpus { get; init; } = CpuSet.Empty;

    /// <summary>cpu/isolated; <see langword="null"/> if the kernel has no such file.</summary>
    public CpuSet? IsolatedCpus { get; init; }

    /// <summary>The boot parameter isolcpus=.</summary>
    public string? Isolcpus { get; init; }

    public IReadOnlyList<CoreFacts> Cores { get; init; } = [];

    /// <summary>CPUs that are listed as siblings although they are not one core.</summary>
    public IReadOnlyList<CpuSet> Siblings { get; init; } = [];

    public IReadOnlyList<CacheFacts> Caches { get; init; } = [];

    /// <summary>The nodes; <see langword="null"/> on a kernel without NUMA.</summary>
    public NodesFacts? Nodes { get; init; }

    /// <summary>proc/meminfo; <see langword="null"/> if there is none.</summary>
    public MeminfoFacts? Meminfo { get; init; }

    /// <summary>The machine's pools; <see langword="null"/> if there is no such folder.</summary>
    public IReadOnlyList<HugePageFacts>? HugePages { get; init; }

    public IReadOnlyList<NetworkFacts> Network { get; init; } = [];

    /// <summary>The node of each GPU's memory by PCI address.</summary>
    public IReadOnlyList<(string Address, int Node)> Gpus { get; init; } = [];

    /// <summary>The nodes of each tier of memory.</summary>
    public IReadOnlyList<(int Tier, CpuSet Nodes)> Tiers { get; init; } = [];

    public ProcessFacts Process { get; init; } = new();

    /// <summary>hwloc's answers; <see langword="null"/> if unknown.</summary>
    public MachineAnswers? Answers { get; init; }

    public bool Has(MachineQuirk quirk) => Quirks.Contains(quirk);
}

/// <summary>A core, or the CPUs of a package that have the same core number.</summary>
public sealed record CoreFacts(int? Package, int? Die, int? Cluster, int? Core, CpuSet Cpus);

/// <summary>A kind of cache of which each group of CPUs has its own.</summary>
/// <param name="Index">Its index in the CPUs' lists of caches.</param>
/// <param name="Level">1 is nearest to the CPU.</param>
/// <param name="Type">Data, Instruction or Unified.</param>
/// <param name="Size">As the kernel writes it: 32K.</param>
/// <param name="SharedBy">The groups.</param>
public sealed record CacheFacts(int Index, int Level, string Type, string Size, IReadOnlyList<CpuSet> SharedBy)
{
    /// <summary>Members of a group whose own lists lack the cache.</summary>
    public CpuSet NotShownBy { get; init; } = CpuSet.Empty;

    /// <summary>The list that every group has, if it differs from the mask.</summary>
    public CpuSet? ListedAs { get; init; }

    /// <summary>The masks name no CPU.</summary>
    public bool IsMaskEmpty { get; init; }
}

/// <summary>The nodes and their lists; a list that the kernel lacks is <see langword="null"/>.</summary>
public sealed record NodesFacts(CpuSet? Online, CpuSet? Possible, CpuSet? HasMemory, IReadOnlyList<NodeFacts> All);

/// <summary>A node.</summary>
public sealed record NodeFacts(int Id)
{
    /// <summary>Its CPUs, online or not.</summary>
    public CpuSet Cpus { get; init; } = CpuSet.Empty;

    /// <summary>It has no folder: only its CPUs' links name it.</summary>
    public bool IsOffline { get; init; }

    public long? Memory { get; init; }

    public long Free { get; init; }

    public IReadOnlyList<int>? Distances { get; init; }

    /// <summary>hit, miss, foreign, interleave_hit, local, other.</summary>
    public IReadOnlyList<long>? Counters { get; init; }

    /// <summary><see langword="null"/> if the node has no pools, not even empty ones.</summary>
    public IReadOnlyList<HugePageFacts>? HugePages { get; init; }

    public IReadOnlyList<AccessFacts> Access { get; init; } = [];
}

/// <summary>A pool of huge pages.</summary>
public sealed record HugePageFacts(long PageKilobytes, long Total, long Free);

/// <summary>The HMAT figures of a node's memory: read and write latency, read and write bandwidth.</summary>
public sealed record AccessFacts(int AccessClass, CpuSet Initiators, IReadOnlyList<int?> Figures);

/// <summary>The machine's memory and its huge pages of the default size.</summary>
public sealed record MeminfoFacts(long Total, long Free, HugePageFacts? HugePages);

/// <summary>A network interface.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Address">The PCI function; <see langword="null"/> for one without hardware.</param>
/// <param name="Node">The content of numa_node; <see langword="null"/> if there is no such file.</param>
/// <param name="IsVirtio">Whether a virtio device is between it and the function.</param>
public sealed record NetworkFacts(string Name, string? Address, int? Node, bool IsVirtio);

/// <summary>The limits of the process that read the files.</summary>
public sealed record ProcessFacts
{
    /// <summary>Cpus_allowed_list and Mems_allowed_list.</summary>
    public CpuSet? AllowedCpus { get; init; }

    public CpuSet? AllowedMems { get; init; }

    public IReadOnlyList<HierarchyFacts> Hierarchies { get; init; } = [];

    /// <summary>Its groups: by controller, "v2", or "self/cpuset" for the file of that name.</summary>
    public IReadOnlyList<(string Controller, string Path)> Groups { get; init; } = [];

    /// <summary>The content of the files of its groups.</summary>
    public IReadOnlyList<(string Folder, IReadOnlyList<(string File, string Value)> Values)> Limits { get; init; } = [];
}

/// <summary>A mounted hierarchy of cgroups.</summary>
/// <param name="Point">Where it is mounted.</param>
/// <param name="Type">cgroup2, cgroup or cpuset.</param>
/// <param name="Options">Controllers and options that matter.</param>
public sealed record HierarchyFacts(string Point, string Type, IReadOnlyList<string> Options);

/// <summary>hwloc's answers.</summary>
/// <param name="Cpus">The online CPUs that the process may use.</param>
/// <param name="MemoryNodes">The nodes whose memory it may use.</param>
/// <param name="Memory">The memory of nodes: exact in bytes, or as hwloc prints it.</param>
public sealed record MachineAnswers(CpuSet Cpus, CpuSet MemoryNodes, IReadOnlyList<(int Node, string Memory)> Memory);
