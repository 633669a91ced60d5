using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The allocators that are compared.</summary>
internal static class AllocatorSides
{
    public static IAllocatorSide Ours { get; } = new AllocatorLoops<NumaBlocks>();

    public static IAllocatorSide Handle { get; } = new AllocatorLoops<NumaHeapBlocks>();

    public static IAllocatorSide Mimalloc { get; } = new AllocatorLoops<MimallocBlocks>();

    public static IAllocatorSide Jemalloc { get; } = new AllocatorLoops<JemallocBlocks>();

    public static IAllocatorSide NativeMemory { get; } = new AllocatorLoops<NativeBlocks>();

    /// <summary>The rows' name for a peer, and the peer.</summary>
    public static IReadOnlyList<(string Label, IAllocatorSide Side)> Peers { get; } =
        [("mimalloc", Mimalloc), ("jemalloc", Jemalloc), ("NativeMemory", NativeMemory)];

    /// <summary>A side whose work is one of the loops, on every thread at once.</summary>
    public static Contestant Contestant(
        this WorkerTeams teams, IAllocatorSide side, Action<int> loop, int threads = 1, int step = 1) =>
        teams.Contestant(side, (_, operations) => loop(operations), threads, step);

    /// <summary>A side whose work is also given the thread's index.</summary>
    public static Contestant Contestant(
        this WorkerTeams teams, IAllocatorSide side, Action<int, int> loop, int threads, int step = 1) =>
        teams.Contestant(threads, loop, () => side.Name, step, side.Library, side.Verify);
}
