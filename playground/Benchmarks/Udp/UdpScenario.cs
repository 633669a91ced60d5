using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>The kind of a load.</summary>
internal enum UdpLoadKind
{
    /// <summary>It is sent more than it can take.</summary>
    Flood,

    /// <summary>It is sent datagrams at an even rate.</summary>
    Rate,

    /// <summary>It sends back what comes.</summary>
    Echo,

    /// <summary>It sends, to a socket that is never read.</summary>
    Send,
}

/// <summary>Ours against a peer, and the targets.</summary>
/// <param name="Ours">Our side.</param>
/// <param name="Peer">The other.</param>
/// <param name="Cpu">The largest ratio of CPU time per datagram.</param>
/// <param name="P99">The largest ratio of the 99th percentile.</param>
internal sealed record UdpPair(UdpSide Ours, UdpSide Peer, double? Cpu, double? P99 = null)
{
    public bool IsRequired => Cpu is not null || P99 is not null;
}

/// <summary>A load, and what is compared under it.</summary>
/// <param name="Kind">What it does.</param>
/// <param name="Size">Bytes of a datagram.</param>
/// <param name="Amount">Datagrams per second of a rate, or under way of an echo.</param>
/// <param name="Pairs">The rows.</param>
internal sealed record UdpScenario(UdpLoadKind Kind, int Size, int Amount, IReadOnlyList<UdpPair> Pairs)
{
    private static readonly UdpPair[] s_received =
    [
        new(UdpSide.Ours, UdpSide.Naive, null),
        new(UdpSide.Ours, UdpSide.Pooled, 1 / 2.5),
        new(UdpSide.Ours, UdpSide.Address, 1 / 2.0),
        new(UdpSide.Ours, UdpSide.Tuned, 1 / 1.4),
        new(UdpSide.Ours, UdpSide.Blocking, null),
        new(UdpSide.Offload, UdpSide.Ours, null),
    ];

    // Where what is sent as one is cut on its way, joining it again is worth something.
    private static readonly UdpPair[] s_joined =
    [
        .. s_received.Where(static pair => pair.Ours == UdpSide.Ours),
        new(UdpSide.Offload, UdpSide.Ours, 1 / 3.0),
    ];

    private static readonly UdpPair[] s_sent =
    [
        new(UdpSide.Ours, UdpSide.Naive, null),
        new(UdpSide.Ours, UdpSide.Pooled, null),
        new(UdpSide.Ours, UdpSide.Address, 1 / 1.5),
        new(UdpSide.Ours, UdpSide.Blocking, null),
        new(UdpSide.Offload, UdpSide.Ours, null),
    ];

    private static readonly UdpPair[] s_echoed =
    [
        new(UdpSide.Ours, UdpSide.Naive, null),
        new(UdpSide.Ours, UdpSide.Pooled, 1 / 2.5, 1 / 4.0),
        new(UdpSide.Ours, UdpSide.Address, null),
        new(UdpSide.Ours, UdpSide.Blocking, null),
        new(UdpSide.Offload, UdpSide.Pooled, null),
    ];

    private static readonly UdpPair[] s_even =
    [
        new(UdpSide.Ours, UdpSide.Pooled, null),
        new(UdpSide.Ours, UdpSide.Tuned, 1),
        new(UdpSide.Coalescing, UdpSide.Tuned, 1 / 2.0),
    ];

    public static IReadOnlyList<UdpScenario> All { get; } =
    [
        .. Each(UdpLoadKind.Flood, 0, s_received, 64, 512, 1200, 1380, 65_000),
        .. Each(UdpLoadKind.Send, 0, s_sent, 64, 512, 1200, 1380, 65_000),
        .. Each(UdpLoadKind.Echo, 16, s_echoed, 64, 512, 1200, 1380, 65_000),
        .. Each(UdpLoadKind.Rate, 20_000, s_even, 64, 512, 1200, 1380),

        // 1.3 GB a second is no low rate: copying is what costs.
        .. Each(UdpLoadKind.Rate, 20_000, [.. s_even.Select(static pair => pair with { Cpu = null })], 65_000),

        // Beyond a packet's length datagrams are fragments there, which are not joined.
        .. Each(UdpLoadKind.Flood, 0, s_joined, 64, 512, 1200, 1380)
            .Select(static scenario => scenario with { Network = UdpNetwork.Veth }),
    ];

    /// <summary>
    /// What the command line asks for. A short run leaves out the pairs that have no requirement: half of the processes.
    /// </summary>
    /// <exception cref="BenchmarkException">No row's name has the filter's text.</exception>
    public static IReadOnlyList<UdpScenario> Planned(BenchmarkOptions options)
    {
        UdpScenario[] planned =
        [
            .. All.Select(scenario => scenario.Where(
                    pair => (!options.IsShort || pair.IsRequired)
                        && scenario.Metrics(pair).Any(metric => options.Includes(scenario.RowName(pair, metric.Name)))))
                .OfType<UdpScenario>(),
        ];
        return planned.Length > 0 ? planned : throw options.NoRow();
    }

    /// <summary>Where the load comes from.</summary>
    public UdpNetwork Network { get; init; }

    public string Name => (Network == UdpNetwork.Veth ? "veth " : "") + Kind switch
    {
        UdpLoadKind.Echo => $"echo {Size} x{Amount}",
        UdpLoadKind.Rate => $"rate {Amount / 1000}k {Size}",
        _ => $"{Kind.ToString().ToLowerInvariant()} {Size}",
    };

    /// <summary>The ways that run.</summary>
    public IReadOnlyList<UdpSide> Sides => [.. Pairs.SelectMany(static pair => new[] { pair.Ours, pair.Peer }).Distinct()];

    public string RowName(UdpPair pair, string metric) => $"{Name} {metric} {pair.Ours} vs {pair.Peer}";

    /// <summary>Bytes of the garbage collector per datagram of one of our sides.</summary>
    public string BytesRow(UdpSide side) => $"{Name} bytes {side}";

    public IEnumerable<UdpMetric> Metrics(UdpPair pair)
    {
        yield return new UdpMetric("cpu", "us/datagram", static sample => sample.CpuMicroseconds, new RowTarget(pair.Cpu, null));
        if (Kind == UdpLoadKind.Echo)
        {
            yield return new UdpMetric("p50", "ms", static sample => sample.Latency!.Value.P50, default);
            yield return new UdpMetric("p99", "ms", static sample => sample.Latency!.Value.P99, new RowTarget(pair.P99, null));
        }

        if (Kind != UdpLoadKind.Rate)
        {
            yield return new UdpMetric("rate", "datagrams/s", static sample => sample.PerSecond, default, IsRate: true);
        }
    }

    private UdpScenario? Where(Func<UdpPair, bool> isWanted) =>
        Pairs.Where(isWanted).ToArray() is { Length: > 0 } wanted ? this with { Pairs = wanted } : null;

    private static IEnumerable<UdpScenario> Each(UdpLoadKind kind, int amount, UdpPair[] pairs, params int[] sizes) =>
        sizes.Select(size => new UdpScenario(kind, size, amount, pairs));
}

/// <summary>One figure of a sample, and its target.</summary>
/// <param name="Name">In the row's name.</param>
/// <param name="Unit">What the table shows.</param>
/// <param name="Of">The figure.</param>
/// <param name="Target">The target of the ratio.</param>
/// <param name="IsRate">Whether more is better.</param>
internal sealed record UdpMetric(string Name, string Unit, Func<UdpSample, double> Of, RowTarget Target, bool IsRate = false)
    : Figure<UdpSample>(Unit, Of, IsRate);
