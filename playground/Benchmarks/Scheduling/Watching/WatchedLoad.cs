using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Watching;

/// <summary>
/// A load while a listener is active. Listeners see the whole process: they exist for the slice only, so that they do not also
/// see the other side's.
/// </summary>
/// <param name="load">The load.</param>
/// <param name="watch">Starts the listener, which ends when disposed.</param>
internal sealed class WatchedLoad(ILoad load, Func<IDisposable> watch) : ILoad
{
    public Slice Run(int operations)
    {
        using var watching = watch();
        return load.Run(operations);
    }

    public void Dispose() => load.Dispose();
}
