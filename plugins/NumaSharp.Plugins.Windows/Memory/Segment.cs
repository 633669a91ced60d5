namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>A part of a reservation that Windows knows as one placeholder or one region.</summary>
internal sealed class Segment(nint start, nuint size) : IAddressRange
{
    public nint Start { get; } = start;

    public nuint Size { get; } = size;

    public nint End => Start + (nint)Size;

    /// <summary>Whether pages can be committed: it is a region.</summary>
    public bool IsRegion { get; set; }

    /// <summary>The node that its pages come from if it can give them.</summary>
    public int? Node { get; set; }

    /// <summary>Whether pages may be there, so that the region cannot be made anew.</summary>
    public bool IsCommitted { get; set; }

    /// <summary>Whether its address space is not ours any more: given back, or lost while it was made anew.</summary>
    public bool IsLost { get; set; }
}
