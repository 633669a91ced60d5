namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>
/// A way to reserve address space and choose its node afterwards: Windows takes the node when a region is created, not when its
/// pages are committed (VirtualAllocExNuma, nndPreferred). Calls return the Win32 error.
/// </summary>
internal interface IAddressSpace
{
    /// <summary>Whether reserved space is a placeholder, of which parts become regions one by one.</summary>
    bool HasPlaceholders { get; }

    int Reserve(nuint size, nuint alignment, out nint address);

    /// <summary>Splits a part of a placeholder off as a separate one.</summary>
    int Cut(nint address, nuint size);

    /// <summary>Turns a whole placeholder into a region.</summary>
    int Replace(Segment placeholder, int? node);

    /// <summary>
    /// Recreates a region without pages, for another node. On failure it is unchanged, a placeholder again, or lost.
    /// </summary>
    int Rebind(Segment region, int node);
}
