namespace NumaSharp.Core;

/// <summary>
/// Address space and where its pages come from. Chosen by <see cref="Name"/> in <c>Numa:Memory:Provider</c>.
/// Addresses are page-aligned and sizes are multiples of <see cref="PageSize"/>. Implementations are thread-safe.
/// <see cref="Bind"/>, <see cref="Advise"/> and <see cref="QueryNode"/> are also called for memory of the process that was
/// reserved elsewhere (pinned arrays): they treat it as their own or fail.
/// </summary>
public interface INumaMemoryProvider
{
    /// <summary>The short, case-insensitive name that configuration uses.</summary>
    string Name { get; }

    /// <summary>The size in bytes of the pages that this provider hands out, a power of two.</summary>
    nuint PageSize { get; }

    /// <summary>
    /// How many bytes pools and allocators should commit at a time, at multiples of it, while their limits have room:
    /// a power of two, at least <see cref="PageSize"/>, which is the default.
    /// </summary>
    nuint CommitUnit => PageSize;

    /// <summary>Reserves address space without memory behind it (mmap(2) with PROT_NONE).</summary>
    /// <param name="size">Bytes.</param>
    /// <param name="alignment">A power of two, at least the page size, that the address is a multiple of.</param>
    /// <param name="address">The start; 0 on failure.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult Reserve(nuint size, nuint alignment, out nint address);

    /// <summary>
    /// Makes a part of a reservation usable; its pages read as zero and are taken at the first touch, or by this call, for the
    /// calling thread, where a touch could fail.
    /// </summary>
    /// <param name="address">The start.</param>
    /// <param name="size">Bytes.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult Commit(nint address, nuint size);

    /// <summary>Sets the nodes that the pages of a range come from when they are touched (mbind(2)).</summary>
    /// <param name="address">The start.</param>
    /// <param name="size">Bytes.</param>
    /// <param name="placement">Where from.</param>
    /// <returns>Success, or why not; <see cref="NumaFailure.NotPermitted"/> in most containers.</returns>
    NumaResult Bind(nint address, nuint size, NumaPlacement placement);

    /// <summary>Gives the kernel a hint about a range (madvise(2)).</summary>
    /// <param name="address">The start.</param>
    /// <param name="size">Bytes.</param>
    /// <param name="advice">The hint.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice);

    /// <summary>Returns a whole reservation to the system, memory and address space (munmap(2)).</summary>
    /// <param name="address">The start, as <see cref="Reserve"/> gave it.</param>
    /// <param name="size">Bytes, as given to <see cref="Reserve"/>.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult Release(nint address, nuint size);

    /// <summary>Reads the node that the page of an address is on (move_pages(2) as a query).</summary>
    /// <param name="address">Any address of committed memory that has been touched.</param>
    /// <param name="nodeId">
    /// The kernel id of the node; <see langword="null"/> on failure or when the page has not been touched.
    /// </param>
    /// <returns>Success, or why not.</returns>
    NumaResult QueryNode(nint address, out NumaNodeId? nodeId);
}

/// <summary>Hints for a range of memory (madvise(2)).</summary>
public enum NumaMemoryAdvice
{
    /// <summary>Transparent huge pages are requested (MADV_HUGEPAGE).</summary>
    HugePages,

    /// <summary>
    /// The content is not needed any more: pages go back to the system (MADV_DONTNEED). Commit the range again before use; it
    /// then reads as zero.
    /// </summary>
    Discard,

    /// <summary>
    /// The content is not needed any more, and the range stays committed: its pages go back to the system and come back, with any
    /// content, when they are used next (MADV_DONTNEED). A provider may refuse it; the pages then stay.
    /// </summary>
    Reset,
}
