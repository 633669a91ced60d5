using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The lists by which threads exchange magazines: on one pair of cache lines, because a thread that brings a full one takes an
/// empty one, and apart from other sizes, which other threads use.
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

    /// <summary>The minimum of <see cref="Blocks"/> since the last trim.</summary>
    [FieldOffset(152)]
    public long LeastBlocks;
}
