namespace NumaSharp.Plugins.Windows.Memory;

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
