using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>A part of a slab on its way to be blocks: charged to the limit, not committed yet.</summary>
/// <param name="Slab">The slab.</param>
/// <param name="Start">What is to be committed.</param>
/// <param name="Bytes">How much; 0 where what is committed has room for the blocks.</param>
/// <param name="First">The lowest block.</param>
/// <param name="Count">How many blocks.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct PoolGrowth(PoolSlab Slab, nint Start, nuint Bytes, nint First, int Count);
