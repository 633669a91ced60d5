namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>Blocks threads; made and released by the driver.</summary>
internal interface IBlocker : IDisposable
{
    /// <summary>Returns some time after the release.</summary>
    void Block();

    void Release();

    // Most have nothing to end.
    void IDisposable.Dispose()
    {
    }
}
