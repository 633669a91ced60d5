using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// A thread's free blocks of one size on one node: the loaded magazine, a stack of addresses outside the blocks, and a spare
/// one behind it. Only the thread writes <see cref="Top"/>.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct HeapBin
{
    /// <summary>Behind the last free block. Equal to <see cref="Bottom"/>: nothing to take.</summary>
    public nint* Top;

    /// <summary>The first free block. Moves up when other threads steal from below.</summary>
    public nint* Bottom;

    /// <summary>Behind the last slot. Equal to <see cref="Top"/>: no room; so for a bin that has no magazine yet.</summary>
    public nint* Limit;

    /// <summary>The magazine behind the loaded one; 0 for none. All free or all used but for steals.</summary>
    public uint Spare;

    /// <summary>How many blocks are in the spare one, from its first slot on.</summary>
    public int SpareCount;

    public readonly int Count => (int)(Top - Bottom);
}
