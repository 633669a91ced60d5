namespace NumaSharp.Core.Memory.Allocation;

/// <summary>The owner of a checked block.</summary>
internal enum CheckedState
{
    /// <summary>The user of the allocator.</summary>
    InUse,

    /// <summary>The thread that frees it, or that frees it for good.</summary>
    Leaving,

    /// <summary>No owner yet: it waits so that a write after the free is found.</summary>
    Held,

    /// <summary>The allocator; it may have handed it out again.</summary>
    Free,
}
