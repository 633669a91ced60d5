namespace NumaSharp.Core;

/// <summary>
/// How much a <see cref="NumaAllocator"/> does to find wrong use of memory. What it costs:
/// docs/decisions/0017-allocator-modes.md.
/// </summary>
public enum NumaMemoryChecks
{
    /// <summary>Nothing on the fast path: freeing twice, or what points into a block, does harm as with free(3).</summary>
    None,

    /// <summary>
    /// For development and tests: blocks know where they were allocated and freed; overruns, writes after a free, double frees
    /// and leaks are found and say so. A call costs microseconds, a block some hundred bytes more.
    /// </summary>
    Checks,

    /// <summary>
    /// For production: freeing what is no block in use always throws, large blocks and every MiB of small ones end at a page
    /// without access, and new blocks are handed out in random order.
    /// </summary>
    Hardened,
}
