namespace NumaSharp.Core;

/// <summary>
/// How much an allocator or a memory pool does to find wrong use of memory. What it costs:
/// docs/decisions/0017-allocator-modes.md.
/// </summary>
public enum NumaMemoryCheckMode
{
    /// <summary>
    /// Nothing on the fast path: freeing twice, or an address within a block, corrupts memory, as with free(3). A pool records
    /// whether a block is rented, but not by which code.
    /// </summary>
    None,

    /// <summary>
    /// For development and tests: blocks know where they were allocated and freed; overruns, writes after a free, double frees
    /// and leaks are found and reported. A call costs microseconds, a block some hundred bytes more. An owner from a pool is
    /// valid for one rent: used later, it throws and names the rent.
    /// </summary>
    Full,

    /// <summary>
    /// For production: freeing anything but a block in use always throws, large blocks and every MiB of small ones end at a page
    /// without access, and new blocks are handed out in random order. An owner from a pool is valid for one rent: used later, it
    /// throws.
    /// </summary>
    Hardened,
}
