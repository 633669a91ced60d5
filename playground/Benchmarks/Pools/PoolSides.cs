using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Pools.Peers;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>The pools that are compared.</summary>
internal static class PoolSides
{
    public static IPoolSide Ours { get; } = new PoolLoops<NumaPooledBlocks>();

    public static IPoolSide Handle { get; } = new PoolLoops<NumaHandleBlocks>();

    public static IPoolSide Kestrel { get; } = new PoolLoops<KestrelPooledBlocks>();

    public static IPoolSide Shared { get; } = new PoolLoops<SharedPooledBlocks>();

    /// <summary>A side whose work is one of the loops, on every thread at once.</summary>
    public static Contestant Contestant(
        this WorkerTeams teams, IPoolSide side, Action<int> loop, int threads = 1, int step = 1) =>
        teams.Contestant(side, (_, operations) => loop(operations), threads, step);

    /// <summary>A side whose work is also given the thread's index.</summary>
    public static Contestant Contestant(
        this WorkerTeams teams, IPoolSide side, Action<int, int> loop, int threads, int step = 1) =>
        teams.Contestant(threads, loop, () => side.Name, step, verify: side.Verify);
}
