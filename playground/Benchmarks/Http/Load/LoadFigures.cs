namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>What a load generator reports besides the count of requests.</summary>
[Flags]
internal enum LoadFigures
{
    None = 0,

    /// <summary>As many requests as the server takes; not for a load with a fixed rate.</summary>
    Rate = 1,

    /// <summary>The median and the 99th percentile.</summary>
    Percentiles = 2,

    /// <summary>The 99.9th percentile: of latencies since the moment when a request was due.</summary>
    Tail = 4,
}
