namespace NumaSharp.Tool.Matrix;

/// <summary>Medians of the repeats.</summary>
/// <param name="ReadTime">The time to read the whole buffer once, in order, with one thread.</param>
/// <param name="GigabytesPerSecond">The same as a rate, 10^9 bytes per second.</param>
/// <param name="LatencyNanoseconds">The time of a read at an address that the previous read returned.</param>
internal sealed record MatrixFigures(TimeSpan ReadTime, double GigabytesPerSecond, double LatencyNanoseconds);
