using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;
using NumaSharp.Playground.Benchmarks.Scheduling.Watching;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>What an item costs on our scheduler while its items are observed, against unobserved ones.</summary>
internal static class WatchedRows
{
    public static IEnumerable<IRowSource> Create(int cpus)
    {
        var shape = new OutsideShape();
        var unwatched = EngineSides.Ours(engine => engine.Open(shape));
        return
        [
            EngineSides.Contest(
                cpus,
                Row("waits measured vs not", EngineSides.Ours(NumaEngine.Measured, engine => engine.Open(shape))),
                Row("wait events vs none", Watched(static () => new EventWatch())),
                Row("trace listener vs none", Watched(static () => new TraceWatch(isInRequest: false))),
                Row("items traced vs none", Watched(static () => new TraceWatch(isInRequest: true)))),
        ];

        PeerRow Row(string name, Contestant watched) => new(name, watched, unwatched);
        Contestant Watched(Func<IDisposable> watch) => EngineSides.Ours(engine => new WatchedLoad(engine.Open(shape), watch));
    }
}
