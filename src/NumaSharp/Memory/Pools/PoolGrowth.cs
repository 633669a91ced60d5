using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>A part of a slab that is about to become blocks: charged to the limit, not committed yet.</summary>
/// <param name="Slab">The slab.</param>
/// <param name="Start">The start of the memory to commit.</param>
/// <param name="Bytes">How much; 0 if committed memory has room for the blocks.</param>
/// <param name="First">The lowest block.</param>
/// <param name="Count">How many blocks.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct PoolGrowth(PoolSlab Slab, nint Start, nuint Bytes, nint First, int Count);
