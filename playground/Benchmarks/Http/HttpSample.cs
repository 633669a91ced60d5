using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One run of one scenario against one server.</summary>
internal readonly record struct HttpSample(
    double CpuMicrosecondsPerRequest, double RequestsPerSecond, Latency? Latency, double ManagedBytesPerRequest);
