using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>Loads on each of the engines, started for the contest.</summary>
internal static class EngineSides
{
    /// <summary>Of each side in a round, unless more are asked for.</summary>
    public const int UsualSlices = 4;

    // Of a side in a pass: some operations alone take longer, and every slice has its pauses.
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(30);

    public static Contestant Ours(Func<IEngine, ILoad> load) => Ours(static () => new NumaEngine(), load);

    public static Contestant Ours(Func<NumaEngine> start, Func<NumaEngine, ILoad> load) => new(
        static () => "NumaTaskScheduler", () => EngineLoad.Start(start, load));

    public static Contestant Pool(Func<IEngine, ILoad> load) => new(
        static () => PoolEngine.Name, () => EngineLoad.Start(static () => new PoolEngine(), load));

    /// <summary>A contest in short slices: all sides of a round meet the same neighbours and the same clock of the CPU.</summary>
    /// <param name="poolThreads">How many threads the pool has; null leaves it alone.</param>
    /// <param name="rows">What is compared.</param>
    public static Contest Contest(int? poolThreads, params IReadOnlyList<PeerRow> rows) => new(rows)
    {
        Turns = UsualSlices,
        Runs = 1,
        Share = 1.0 / UsualSlices,
        PoolThreads = poolThreads,
        WarmUpLimit = s_warmUp,
    };
}
