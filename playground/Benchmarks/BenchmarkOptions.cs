using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Playground.Benchmarks;

/// <summary>What the command line asked for.</summary>
internal sealed record BenchmarkOptions(
    bool Quick,
    FileInfo? Json,
    string? Filter,
    IReadOnlyList<DispatchMode> Dispatch,
    bool NoiseFloor,
    bool SocketsInline = false,
    bool EveryRow = false)
{
    /// <summary>Whether kinds with many rows may leave some of them out, so that the run takes five minutes.</summary>
    public bool IsShort => Quick && Filter is null && !EveryRow;

    /// <summary>Whether the filter leaves a row.</summary>
    public bool Includes(string row) => Filter is null || row.Contains(Filter, StringComparison.OrdinalIgnoreCase);

    /// <summary>What is said where the filter leaves none.</summary>
    public BenchmarkException NoRow() => new($"no row has '{Filter}' in its name");

    /// <summary>The program of another build, whose servers are the peers of this build's; null for the usual peers.</summary>
    public FileInfo? Earlier { get; init; }

    /// <summary>What measures the same again.</summary>
    public string? Command { get; init; }
}
