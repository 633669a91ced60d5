namespace NumaSharp.Tool.Matrix;

/// <summary>Medians of the repeats.</summary>
/// <param name="ReadTime">To read the whole buffer once, in order, with one thread.</param>
/// <param name="GigabytesPerSecond">The same as a rate, 10^9 bytes per second.</param>
/// <param name="LatencyNanoseconds">Of a read whose address the read before it gives.</param>
internal sealed record MatrixFigures(TimeSpan ReadTime, double GigabytesPerSecond, double LatencyNanoseconds);
