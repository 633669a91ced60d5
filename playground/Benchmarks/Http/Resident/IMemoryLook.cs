using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>An action on a fresh server, and the memory that it takes.</summary>
internal interface IMemoryLook
{
    IReadOnlyList<MemoryRow> Rows { get; }

    /// <summary>How many it holds at the same time.</summary>
    int Connections { get; }

    /// <summary>The time that one side takes.</summary>
    TimeSpan Budget { get; }

    /// <summary>What it needs, if anything.</summary>
    ILoadGenerator? Load => null;

    /// <summary>Runs it on one side.</summary>
    /// <returns>For each row the figure at each moment, and what the server is called as a peer.</returns>
    Task<(IReadOnlyList<double[]> Samples, string PeerName)> MeasureAsync(
        ServerSide side, BenchmarkCpus cpus, DirectoryInfo scratch, CancellationToken cancellation);
}
