using System.Globalization;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The rows of the http benchmark.</summary>
internal static class HttpScenarios
{
    private const int Kilobyte = 1024;
    private const int Connections = 64;
    private const int PipelineDepth = 16;
    private const int WebSocketMessage = 512;
    private const int OpenLoopConnections = 256;

    // More connections have the targets of 64; the p99 has one at 256 only.
    private static readonly int[] s_moreConnections = [256, 512];
    private static readonly int[] s_percents = [30, 60, 90];
    private static readonly int[] s_lowRates = [50, 200, 500];

    private static readonly HttpScenario[] s_basic =
    [
        new("ping", Get("/ping", 4), new(0.60, Rate: 1.6), new(0.90, Rate: 1.1)),
        new("get-4k", Get(Data(4), 4 * Kilobyte), new(0.60, Rate: 1.5), new(0.90, Rate: 1.1)),
        // A rate of 1.6 is the requirement, 1.85 the goal; a rate's row has a goal only.
        new("get-64k", Get(Data(64), 64 * Kilobyte), new(0.50, Rate: 1.85), new(0.70, Rate: 1.3)),
        new("post-512", Post(512), new(0.65, Rate: 1.45), new(0.95, Rate: 1.05)),
        new("post-4k", Post(4 * Kilobyte), new(0.50, Rate: 1.7), new(0.80, Rate: 1.2)),
        new("post-64k", Post(64 * Kilobyte), new(0.40, Rate: 2.1), new(0.55, Rate: 1.8)),
    ];

    private static readonly HttpScenario[] s_churn =
    [
        new("churn-1", Get("/ping", 4) with { RequestsPerConnection = 1 }, new(0.65, 0.55), new()),
        new("churn-10", Get("/ping", 4) with { RequestsPerConnection = 10 }, new(0.60, 0.50), new()),
    ];

    public static IReadOnlyList<HttpScenario> All { get; } =
    [
        .. s_basic.SelectMany(static scenario => s_moreConnections.Select(more => With(scenario, more)).Prepend(scenario)),
        .. s_churn.SelectMany(static scenario => new[] { scenario, With(scenario, 256) }),
        new("pipelined-x16", Get("/ping", 4) with { PipelineDepth = PipelineDepth }, new(0.80, 0.65), new(0.85)),
        new("tls-4k", Get(Data(4), 4 * Kilobyte) with { Tls = true }, new(0.80, 0.65), new(0.85)),
        new("tls-64k", Get(Data(64), 64 * Kilobyte) with { Tls = true }, new(0.80, 0.65), new(0.85)),
        new("websocket", new WebSocketLoad(Connections, WebSocketMessage), new(0.80), new(1.00)),
        new("h2-16x16", new H2Load("/ping", Clients: 16, Streams: 16), new(1.00, 0.80), new(1.00)),
        new("h2-1x100", new H2Load("/ping", Clients: 1, Streams: 100), new(1.00, 0.80), new(1.00)),
        .. s_percents.Select(static percent => new HttpScenario(
            "open-loop", Suffix(percent), new OpenLoopLoad(OpenLoopConnections, percent, IsPercent: true), new(), new())),
        .. s_lowRates.Select(static rate => new HttpScenario(
            "low-rate", Suffix(rate), new OpenLoopLoad(1, rate, IsPercent: false), new(AgainstInline: 1.15), new())),
    ];

    /// <summary>What stock sockets take of the open loop's requests, when nothing limits them.</summary>
    public static ILoadGenerator Capacity { get; } = Get("/ping", 4) with { Connections = OpenLoopConnections };

    private static HttpScenario With(HttpScenario scenario, int connections)
    {
        var asksP99 = scenario.Name == "get-64k" && connections == 256;
        return scenario with
        {
            MetricSuffix = Suffix(connections),
            Load = (WrkLoad)scenario.Load with { Connections = connections },
            OnLoop = scenario.OnLoop with { P99 = asksP99 ? 0.60 : null },
            OnNode = scenario.OnNode with { P99 = asksP99 ? 0.80 : null },
        };
    }

    private static string Suffix(int number) => string.Create(CultureInfo.InvariantCulture, $"-{number}");

    private static string Data(int kilobytes) => string.Create(null, $"/data/{kilobytes * Kilobyte}");

    private static WrkLoad Get(string path, int bytes) => new(path, bytes) { Connections = Connections };

    private static WrkLoad Post(int bytes) => new("/echo", bytes) { Connections = Connections, PostsBody = true };
}
