using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>One thread's column of a board.</summary>
internal sealed class Tally(TallyBoard board, int threadId)
{
    private Padded _padded;

    public TallyBoard Board => board;

    public int ThreadId => threadId;

    public long Count => Volatile.Read(ref _padded.Count);

    public void Add() => Volatile.Write(ref _padded.Count, _padded.Count + 1);

    // Two cache lines of its own: adjacent ones are fetched in pairs.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Padded
    {
        [FieldOffset(128)]
        public long Count;
    }
}
