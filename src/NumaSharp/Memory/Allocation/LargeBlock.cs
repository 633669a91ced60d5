namespace NumaSharp.Core.Memory.Allocation;

/// <summary>A block of the allocator with a mapping of its own.</summary>
internal sealed class LargeBlock(AllocatorNode node, nint address, nuint length, int place)
{
    public AllocatorNode Node => node;

    public nint Address => address;

    public nuint Length => length;

    /// <summary>Which of the node's successive memory sources its pages come from.</summary>
    public int Place => place;

    /// <summary>Whether it was in use before: its pages exist, and are not zero.</summary>
    public bool IsUsed { get; set; }

    /// <summary>The next one in a list that it is in.</summary>
    public LargeBlock? Next { get; set; }
}
