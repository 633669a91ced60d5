namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Something that a side does over and over.</summary>
internal interface ILoad : IDisposable
{
    /// <summary>Does so many operations, and returns when all have ended.</summary>
    Slice Run(int operations);

    // Most have nothing to end.
    void IDisposable.Dispose()
    {
    }
}
