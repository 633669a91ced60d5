using NumaSharp.Core;

namespace NumaSharp.Hosting;

/// <summary>The memory pools and the allocator: section <c>Numa:Memory</c>.</summary>
public sealed class NumaMemoryOptions
{
    /// <summary>The name of the provider. <c>Auto</c> follows the topology provider if its platform has memory.</summary>
    /// <value>Default <c>Auto</c>. Built in are <c>Linux</c> and <c>SingleNode</c>.</value>
    public string Provider { get; set; } = "Auto";

    /// <summary>
    /// The pages that pools and allocator use. A size selects the provider of that size, so <see cref="Provider"/> must be
    /// <c>Auto</c> or that provider; with 1 GiB the allocator stays on ordinary pages.
    /// </summary>
    /// <value>Default <see cref="NumaHugePageUse.None"/>.</value>
    public NumaHugePageUse HugePages { get; set; }

    /// <summary>The size of a pool's blocks in bytes.</summary>
    /// <value>Default 4096; from 64 to 1 MiB.</value>
    public int BlockSize { get; set; } = 4096;

    /// <summary>
    /// The bytes that a node's pool takes from the system at start, and that <see cref="TrimAfter"/> does not release.
    /// </summary>
    /// <value>Default 0: memory is taken on demand. Otherwise up to <see cref="LimitPerNode"/>.</value>
    public long PoolSizePerNode { get; set; }

    /// <summary>
    /// The maximum number of bytes that a node's pool, and its allocator, each take from the system; a request beyond it fails.
    /// </summary>
    /// <value>Default 0: no limit but the machine's. Otherwise from 4 MiB to 1 TiB.</value>
    public long LimitPerNode { get; set; }

    /// <summary>
    /// How long the pools and the allocator keep unused memory before they return it to the system. It is returned within about
    /// twice that time.
    /// </summary>
    /// <value>Default 30 seconds; <see cref="TimeSpan.Zero"/> is never. Otherwise from 1 second to 1 day.</value>
    public TimeSpan TrimAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The bytes that a node's pool, and the allocator on that node, each keep when <see cref="TrimAfter"/> releases memory.
    /// </summary>
    /// <value>Default 16 MiB; from 0 to 1 TiB.</value>
    public long KeepPerNode { get; set; } = 16 * 1024 * 1024;

    /// <summary>
    /// Whether the pools, down to <see cref="PoolSizePerNode"/>, and the allocator give unused memory back while tasks of the
    /// process's cgroup wait for memory (memory.pressure, memory.events.local; cgroup-v2.rst, accounting/psi.rst). Linux with
    /// version 2 of cgroups, or without any.
    /// </summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool TrimOnPressure { get; set; } = true;

    /// <summary>The bytes that trimming leaves to a pool of these settings, with a later <see cref="KeepPerNode"/>.</summary>
    internal long PoolKeeps(long keepPerNode) => Math.Max(keepPerNode, PoolSizePerNode);

    /// <summary>Whether returned blocks are cleared, so that their content does not reach the next user.</summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool ZeroOnReturn { get; set; }

    /// <summary>How the allocator and the pools check for misuse of memory.</summary>
    /// <value>Default <see cref="NumaMemoryCheckMode.None"/>.</value>
    public NumaMemoryCheckMode Checks { get; set; }
}

/// <summary>The pages that the memory pools and the allocator use.</summary>
public enum NumaHugePageUse
{
    /// <summary>The system's default pages.</summary>
    None,

    /// <summary>Transparent huge pages are requested (MADV_HUGEPAGE).</summary>
    Transparent,

    /// <summary>Pages of 2 MiB from the nodes' pools (hugetlb), by the provider <c>HugePages</c>: written <c>2MiB</c>.</summary>
    Size2MiB,

    /// <summary>Pages of 1 GiB from the nodes' pools, by the provider <c>HugePages1GiB</c>: written <c>1GiB</c>.</summary>
    Size1GiB,
}
