namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>A clean run.</summary>
/// <param name="Requests">Everything in the part whose CPU time counts, the generator's own warm-up included.</param>
/// <param name="RequestsPerSecond">In the measured part.</param>
/// <param name="Latency">Of the measured part; null where the generator measures no latency.</param>
internal readonly record struct LoadResult(long Requests, double RequestsPerSecond, Latency? Latency);
