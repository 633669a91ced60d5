using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// How many batches a ring's two threads are through. Two cache lines apart: adjacent lines are fetched in pairs.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 384)]
internal struct RingPositions
{
    [FieldOffset(128)]
    public long Written;

    [FieldOffset(256)]
    public long Read;
}
