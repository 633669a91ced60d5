namespace NumaSharp.Core.Memory.Allocation;

/// <summary>A block of the allocator with a mapping of its own.</summary>
internal sealed class LargeBlock(AllocatorNode node, nint address, nuint length, int place)
{
    public AllocatorNode Node => node;

    public nint Address => address;

    public nuint Length => length;

    /// <summary>Which of the places, one after the other, that the node's memory has come from its pages are of.</summary>
    public int Place => place;

    /// <summary>Whether somebody has had it before: its pages are there, and not zero.</summary>
    public bool IsUsed { get; set; }

    /// <summary>The next one in a list that it is in.</summary>
    public LargeBlock? Next { get; set; }
}
