namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Work that a side repeats.</summary>
internal interface ILoad : IDisposable
{
    /// <summary>Does so many operations, and returns when all have ended.</summary>
    Slice Run(int operations);

    // Most have nothing to end.
    void IDisposable.Dispose()
    {
    }
}
