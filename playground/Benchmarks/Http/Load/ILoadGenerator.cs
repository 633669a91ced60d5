namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Puts a server under load for a time and reports the result.</summary>
internal interface ILoadGenerator
{
    /// <summary>The program it needs on PATH and the Debian package that has it; null when it needs none.</summary>
    (string Program, string Package)? Tool { get; }

    LoadFigures Figures { get; }

    int Connections { get; }

    /// <summary>What a run takes beyond its length: the start of a client that compiles itself.</summary>
    TimeSpan Overhead { get; }

    /// <summary>
    /// Of the overhead, what follows after connecting. A load that has it begins the <see cref="LoadWindow"/> itself.
    /// </summary>
    TimeSpan? AfterConnecting => null;

    /// <exception cref="BenchmarkException">Anything but a clean run.</exception>
    Task<LoadResult> RunAsync(LoadTarget target, TimeSpan length, CancellationToken cancellation);
}
