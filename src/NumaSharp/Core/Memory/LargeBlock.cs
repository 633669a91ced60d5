namespace NumaSharp.Core.Memory;

/// <summary>A block of the allocator with a mapping of its own.</summary>
internal sealed record LargeBlock(AllocatorNode Node, nint Address, nuint Length);
