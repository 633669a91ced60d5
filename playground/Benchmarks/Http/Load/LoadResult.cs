namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>A clean run.</summary>
/// <param name="Requests">Everything that the server completed, warm-up of the generator included: its CPU was spent on it.</param>
/// <param name="RequestsPerSecond">In the measured part.</param>
/// <param name="P99Milliseconds">Of the measured part; null where the generator measures no latency.</param>
internal readonly record struct LoadResult(long Requests, double RequestsPerSecond, double? P99Milliseconds);
