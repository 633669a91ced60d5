using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// What threads exchange magazines by: on one pair of cache lines, as who brings a full one takes an empty one, and apart from
/// other sizes, which are other threads' business.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct DepotHeads
{
    /// <summary>The head of the list of full magazines.</summary>
    [FieldOffset(128)]
    public long Full;

    /// <summary>The head of the list of empty magazines.</summary>
    [FieldOffset(136)]
    public long Empty;

    /// <summary>How many blocks are in the full ones.</summary>
    [FieldOffset(144)]
    public long Blocks;

    /// <summary>The fewest that <see cref="Blocks"/> has been since a trim looked.</summary>
    [FieldOffset(152)]
    public long LeastBlocks;
}
