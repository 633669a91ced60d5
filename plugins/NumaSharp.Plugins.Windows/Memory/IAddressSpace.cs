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

/// <summary>A part of a reservation that is one placeholder or one region for Windows.</summary>
internal sealed class Segment(nint start, nuint size) : IAddressRange
{
    public nint Start { get; } = start;

    public nuint Size { get; } = size;

    public nint End => Start + (nint)Size;

    /// <summary>Whether pages can be committed: it is a region.</summary>
    public bool IsRegion { get; set; }

    /// <summary>The node that its pages come from if it has memory.</summary>
    public int? Node { get; set; }

    /// <summary>Whether it may have pages, so that the region cannot be recreated.</summary>
    public bool IsCommitted { get; set; }

    /// <summary>Whether its address space is no longer ours: released, or lost while it was being recreated.</summary>
    public bool IsLost { get; set; }
}
