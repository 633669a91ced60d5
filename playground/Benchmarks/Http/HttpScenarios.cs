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

    private static readonly int[] s_connections = [Connections, 256, 512];
    private static readonly int[] s_percents = [30, 60, 90];
    private static readonly int[] s_lowRates = [50, 200, 500];

    // Below saturation where servers and load share the CPUs: the open-loop client takes a part of them.
    private static readonly int[] s_unpinnedPercents = [10, 30, 60];

    // A request a second on each connection, and one in ten seconds.
    private const int SparseRate = 1000;
    private static readonly int[] s_sparse = [1000, 10_000];

    private static readonly HttpScenario[] s_basic =
    [
        .. Basic("ping", Get("/ping", 4), new(0.90, Rate: 1.1), new(Rate: 1.6), (0.55, 0.45), (0.60, 0.50), (0.60, 0.52)),
        .. Basic("get-4k", Get(Data(4), 4 * Kilobyte),
            new(0.90, Rate: 1.1), new(Rate: 1.5), (0.55, 0.45), (0.60, 0.50), (0.60, 0.52)),
        .. Basic("get-64k", Get(Data(64), 64 * Kilobyte),
            new(0.70, Rate: 1.3), new(Rate: 1.6, RateGoal: 1.85), (0.50, 0.42), (0.50, null), (0.50, null)),
        .. Basic("post-512", Post(512), new(0.95, Rate: 1.05), new(Rate: 1.45), (0.55, null), (0.60, null), (0.65, null)),
        .. Basic("post-4k", Post(4 * Kilobyte), new(0.80, Rate: 1.2), new(Rate: 1.7), (0.42, null), (0.50, null), (0.50, null)),
        .. Basic("post-64k", Post(64 * Kilobyte), new(0.55, Rate: 1.8), new(Rate: 2.1), (0.28, null), (0.30, null), (0.40, null)),
    ];

    private static readonly HttpScenario[] s_churn =
    [
        new("churn-1", Get("/ping", 4) with { RequestsPerConnection = 1 }, new(0.65, 0.55), new()),
        new("churn-10", Get("/ping", 4) with { RequestsPerConnection = 10 }, new(0.60, 0.50), new()),
    ];

    public static IReadOnlyList<HttpScenario> All { get; } =
    [
        .. s_basic,
        .. s_churn.SelectMany(static scenario => new[] { scenario, With(scenario, 256) }),
        new("tls-handshake", Get("/ping", 4) with { Tls = true, RequestsPerConnection = 1 }, new(0.90), new()),
        new("pipelined-x16", Get("/ping", 4) with { PipelineDepth = PipelineDepth }, new(0.80, 0.65), new(0.85)),
        new("tls-4k", Get(Data(4), 4 * Kilobyte) with { Tls = true }, new(0.70, 0.65), new(0.85)),
        new("tls-64k", Get(Data(64), 64 * Kilobyte) with { Tls = true }, new(0.62, 0.50), new(0.85)),
        new("unix", new H2Load("/ping", Connections, Streams: 1) { IsUnix = true }, new(1.00), new()),
        new("websocket", new WebSocketLoad(Connections, WebSocketMessage), new(0.80), new(1.00)),
        new("h2-16x16", new H2Load("/ping", Clients: 16, Streams: 16), new(0.95, 0.85), new(1.00)),
        new("h2-1x100", new H2Load("/ping", Clients: 1, Streams: 100), new(0.95, 0.85), new(1.00)),
        .. s_percents.Select(static percent => new HttpScenario(
            "open-loop",
            Suffix(percent),
            new OpenLoopLoad(OpenLoopConnections, percent, IsPercent: true),
            percent == 30 ? new(0.80, P99: 1.10) : new(),
            new())),
        .. s_lowRates.Select(static rate => new HttpScenario(
            "low-rate",
            Suffix(rate),
            new OpenLoopLoad(1, rate, IsPercent: false),
            new(rate < 500 ? 0.35 : 0.25, AgainstInline: 1.15),
            new())),
        .. s_sparse.Select(static connections => new HttpScenario(
            "sparse",
            Suffix(connections),
            new OpenLoopLoad(connections, SparseRate, IsPercent: false),
            new(1.00, 0.60, P99: 1.00),
            new()) { IsOfDefault = true }),
        new("diagnostics", Get("/ping", 4), new(1.00), new()) { Setting = ServerSetting.Diagnostics },
        new("unpinned", Get("/ping", 4), new(1.00, Rate: 1.00, P99: 1.00), new()) { Setting = ServerSetting.Unpinned },
        .. s_unpinnedPercents.Select(static percent => new HttpScenario(
            "unpinned-open-loop",
            Suffix(percent),
            new OpenLoopLoad(OpenLoopConnections, percent, IsPercent: true),
            new(1.00, P99: 1.00),
            new()) { Setting = ServerSetting.Unpinned }),
    ];

    /// <summary>What stock sockets take of the open loop's requests, when nothing limits them, in the row's setting.</summary>
    public static ILoadGenerator Capacity { get; } = Get("/ping", 4) with { Connections = OpenLoopConnections };

    // The rate's targets are those of every number of connections; those of CPU are given for each.
    private static IEnumerable<HttpScenario> Basic(
        string name,
        WrkLoad load,
        ScenarioTargets onNode,
        ScenarioTargets onLoop,
        params (double Required, double? Goal)[] cpu) =>
        s_connections.Zip(cpu, (connections, target) =>
        {
            var scenario = new HttpScenario(name, load, onLoop with { Cpu = target.Required, CpuGoal = target.Goal }, onNode);
            scenario = connections == Connections ? scenario : With(scenario, connections);
            return name == "get-64k" && connections == 256
                ? scenario with { OnLoop = scenario.OnLoop with { P99 = 0.60 }, OnNode = scenario.OnNode with { P99 = 0.80 } }
                : scenario;
        });

    private static HttpScenario With(HttpScenario scenario, int connections) => scenario with
    {
        MetricSuffix = Suffix(connections),
        Load = (WrkLoad)scenario.Load with { Connections = connections },
    };

    private static string Suffix(int number) => string.Create(CultureInfo.InvariantCulture, $"-{number}");

    private static string Data(int kilobytes) => string.Create(null, $"/data/{kilobytes * Kilobyte}");

    private static WrkLoad Get(string path, int bytes) => new(path, bytes) { Connections = Connections };

    private static WrkLoad Post(int bytes) => new("/echo", bytes) { Connections = Connections, PostsBody = true };
}
