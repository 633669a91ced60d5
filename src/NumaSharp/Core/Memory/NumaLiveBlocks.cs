namespace NumaSharp.Core;

/// <summary>Blocks of an allocator or a pool that are in use and were got at the same place in the code.</summary>
/// <param name="Site">
/// The methods, the innermost first, with the offset of the call in IL; empty where no stack trace was taken.
/// </param>
/// <param name="NodeId">The kernel id of the node that they belong to.</param>
/// <param name="Blocks">How many.</param>
/// <param name="Bytes">How many bytes were asked for.</param>
public readonly record struct NumaLiveBlocks(string Site, int NodeId, long Blocks, long Bytes);
