using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>What to measure.</summary>
internal sealed record MatrixRequest
{
    public MatrixGranularity Granularity { get; init; } = MatrixGranularity.Node;

    /// <summary>The CPUs to measure from; <see langword="null"/> for those of the granularity.</summary>
    public CpuSet? Cpus { get; init; }

    /// <summary>The buffer in bytes; <see langword="null"/> for several times the last-level cache.</summary>
    public long? SizeBytes { get; init; }

    /// <summary>How often a cell is measured; its figures are medians.</summary>
    public int Repeat { get; init; } = 3;

    /// <summary>The time after which no further cell is started.</summary>
    public TimeSpan TimeLimit { get; init; } = TimeSpan.FromMinutes(1);
}
