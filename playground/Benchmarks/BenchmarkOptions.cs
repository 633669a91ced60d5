using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Playground.Benchmarks;

/// <summary>What the command line asked for.</summary>
internal sealed record BenchmarkOptions(
    bool Quick,
    FileInfo? Json,
    string? Filter,
    IReadOnlyList<DispatchMode> Dispatch,
    bool NoiseFloor,
    bool SocketsInline = false)
{
    /// <summary>What measures the same again.</summary>
    public string? Command { get; init; }
}
