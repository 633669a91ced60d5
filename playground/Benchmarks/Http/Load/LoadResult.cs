namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>A clean run.</summary>
/// <param name="Requests">Everything that the server spent CPU on, the generator's own warm-up included.</param>
/// <param name="RequestsPerSecond">In the measured part.</param>
/// <param name="Latency">Of the measured part; null where the generator measures no latency.</param>
internal readonly record struct LoadResult(long Requests, double RequestsPerSecond, Latency? Latency);
