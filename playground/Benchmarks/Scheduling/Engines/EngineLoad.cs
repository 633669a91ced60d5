using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>A load and the engine that was started for it.</summary>
internal sealed class EngineLoad(IEngine engine, ILoad load) : ILoad
{
    /// <summary>Starts an engine for a load.</summary>
    public static EngineLoad Start<TEngine>(Func<TEngine> start, Func<TEngine, ILoad> open)
        where TEngine : IEngine
    {
        var engine = start();
        try
        {
            return new EngineLoad(engine, open(engine));
        }
        catch
        {
            engine.Dispose();
            throw;
        }
    }

    public Slice Run(int operations) => load.Run(operations);

    public void Dispose()
    {
        load.Dispose();
        engine.Dispose();
    }
}
