using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Playground.Benchmarks.Http.Stalls;

/// <summary>Handlers that block their thread, and the wait of the loop's other connections.</summary>
/// <param name="Name">The row's.</param>
/// <param name="Path">The request that is late; each over a connection of its own.</param>
/// <param name="Late">How many there are at any time.</param>
/// <param name="Of">The percentile of the others.</param>
internal sealed record StallRow(string Name, string Path, int Late, Func<Latency, double> Of)
{
    /// <summary>The row of the same percentile without late requests: what the machine itself adds.</summary>
    public string? Control { get; init; }

    public IEnumerable<string> Names => Control is null ? [Name] : [Name, Control];
}
