namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Puts a server under load for a time and says what came back.</summary>
internal interface ILoadGenerator
{
    /// <summary>The program it needs on PATH and the Debian package that has it; null when it needs none.</summary>
    (string Program, string Package)? Tool { get; }

    bool MeasuresLatency { get; }

    /// <exception cref="BenchmarkException">Anything but a clean run.</exception>
    Task<LoadResult> RunAsync(LoadTarget target, int seconds, CancellationToken cancellation);
}
