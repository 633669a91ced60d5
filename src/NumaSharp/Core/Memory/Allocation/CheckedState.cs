namespace NumaSharp.Core.Memory.Allocation;

/// <summary>Who has a checked block.</summary>
internal enum CheckedState
{
    /// <summary>Somebody outside.</summary>
    InUse,

    /// <summary>The thread that frees it, or that frees it for good.</summary>
    Leaving,

    /// <summary>Nobody yet: it waits so that a write after the free is found.</summary>
    Held,

    /// <summary>The allocator; it may have given it to somebody else.</summary>
    Free,
}
