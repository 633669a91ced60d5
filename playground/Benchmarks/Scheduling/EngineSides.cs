using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>Loads on each of the engines, started for the contest.</summary>
internal static class EngineSides
{
    public static SliceSide Ours(Func<IEngine, ILoad> load) => Ours(static () => new NumaEngine(), load);

    public static SliceSide Ours(Func<NumaEngine> start, Func<NumaEngine, ILoad> load) => new(
        "NumaTaskScheduler", () => EngineLoad.Start(start, load));

    public static SliceSide Pool(Func<IEngine, ILoad> load) =>
        new(PoolEngine.Name, () => EngineLoad.Start(static () => new PoolEngine(), load));

    public static SliceSide Channels(int workers, Func<IEngine, ILoad> load) =>
        new(ChannelEngine.Name, () => EngineLoad.Start(() => new ChannelEngine(workers), load));

    public static SliceSide Collection(int workers, Func<IEngine, ILoad> load) =>
        new(BlockingCollectionEngine.Name, () => EngineLoad.Start(() => new BlockingCollectionEngine(workers), load));
}
