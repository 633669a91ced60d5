using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>In front of a magazine's slots, on the cache line of the first of them.</summary>
[StructLayout(LayoutKind.Sequential, Size = 16)]
internal struct MagazineHeader
{
    /// <summary>The magazine below in a list.</summary>
    public uint Next;

    /// <summary>How many blocks are in it, from the first slot on.</summary>
    public int Count;
}
