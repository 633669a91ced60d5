using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>Something that is done to a fresh server, and what memory it takes.</summary>
internal interface IMemoryLook
{
    IReadOnlyList<MemoryRow> Rows { get; }

    /// <summary>How many it holds at the same time.</summary>
    int Connections { get; }

    /// <summary>The time that one side takes.</summary>
    TimeSpan Budget { get; }

    /// <summary>What is needed to do it, if anything.</summary>
    ILoadGenerator? Load => null;

    /// <summary>Does it to one side.</summary>
    /// <returns>For each row the figure at each moment, and what the server is called as a peer.</returns>
    Task<(IReadOnlyList<double[]> Samples, string PeerName)> MeasureAsync(
        ServerSide side, BenchmarkCpus cpus, DirectoryInfo scratch, CancellationToken cancellation);
}
