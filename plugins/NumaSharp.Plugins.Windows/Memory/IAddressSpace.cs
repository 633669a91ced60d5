namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>
/// A way to reserve address space and to decide on its node afterwards: Windows takes the node when a region is made, not
/// when its pages are committed (VirtualAllocExNuma, nndPreferred). Calls return the Win32 error.
/// </summary>
internal interface IAddressSpace
{
    /// <summary>Whether what was reserved is a placeholder, of which parts become regions one by one.</summary>
    bool HasPlaceholders { get; }

    int Reserve(nuint size, nuint alignment, out nint address);

    /// <summary>Makes a part of a placeholder a placeholder of its own.</summary>
    int Cut(nint address, nuint size);

    /// <summary>Makes a whole placeholder a region.</summary>
    int Replace(Segment placeholder, int? node);

    /// <summary>
    /// Makes a whole region without pages anew, for another node. When it fails the region is as it was, or lost.
    /// </summary>
    int Rebind(Segment region, int node);
}
