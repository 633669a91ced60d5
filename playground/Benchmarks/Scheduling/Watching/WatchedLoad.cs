using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Watching;

/// <summary>
/// A load while somebody looks. Listeners see the whole process: they are there for the slice only, lest they see the other
/// side's, too.
/// </summary>
/// <param name="load">What is looked at.</param>
/// <param name="watch">Begins to look; ends when disposed.</param>
internal sealed class WatchedLoad(ILoad load, Func<IDisposable> watch) : ILoad
{
    public Slice Run(int operations)
    {
        using var watching = watch();
        return load.Run(operations);
    }

    public void Dispose() => load.Dispose();
}
