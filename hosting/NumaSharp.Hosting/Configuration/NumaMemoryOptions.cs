using NumaSharp.Core;

namespace NumaSharp.Hosting;

/// <summary>The memory pools and the allocator: section <c>Numa:Memory</c>.</summary>
public sealed class NumaMemoryOptions
{
    /// <summary>The name of the provider. <c>Auto</c> follows the topology provider where that platform has memory.</summary>
    /// <value>Default <c>Auto</c>. Built in are <c>Linux</c> and <c>SingleNode</c>.</value>
    public string Provider { get; set; } = "Auto";

    /// <summary>
    /// Which pages the pools use. A size selects the provider of that size, so that <see cref="Provider"/> must be
    /// <c>Auto</c> or that provider; the allocator stays on ordinary pages.
    /// </summary>
    /// <value>Default <see cref="NumaHugePageUse.None"/>.</value>
    public NumaHugePageUse HugePages { get; set; }

    /// <summary>The size in bytes of a block of the pools.</summary>
    /// <value>Default 4096; from 64 to 1 MiB.</value>
    public int BlockSize { get; set; } = 4096;

    /// <summary>
    /// The bytes that the pool of a node takes from the system at the start, and that <see cref="TrimAfter"/> leaves to it.
    /// </summary>
    /// <value>Default 0: what is needed, when it is; else up to <see cref="LimitPerNode"/>.</value>
    public long PoolSizePerNode { get; set; }

    /// <summary>
    /// The most bytes that the pool of a node, and the allocator on that node, each take from the system; a request beyond fails.
    /// </summary>
    /// <value>Default 0: no limit but the machine's; else from 4 MiB to 1 TiB.</value>
    public long LimitPerNode { get; set; }

    /// <summary>
    /// How long unused memory stays with the pools and the allocator before it goes back to the system. It goes back within
    /// about twice that time.
    /// </summary>
    /// <value>Default 30 seconds; <see cref="TimeSpan.Zero"/>: never; else from 1 second to 1 day.</value>
    public TimeSpan TrimAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The bytes that <see cref="TrimAfter"/> leaves to the pool of a node, and to the allocator on that node, each.
    /// </summary>
    /// <value>Default 16 MiB; from 0 to 1 TiB.</value>
    public long KeepPerNode { get; set; } = 16 * 1024 * 1024;

    /// <summary>What trimming leaves to a pool made with these settings, with a later <see cref="KeepPerNode"/>.</summary>
    internal long PoolKeeps(long keepPerNode) => Math.Max(keepPerNode, PoolSizePerNode);

    /// <summary>Whether blocks are cleared when they come back, so that no content is left for the next user.</summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool ZeroOnReturn { get; set; }

    /// <summary>How the allocator and the pools look for wrong use of memory.</summary>
    /// <value>Default <see cref="NumaMemoryChecks.None"/>.</value>
    public NumaMemoryChecks Debug { get; set; }
}
