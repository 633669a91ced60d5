using System.Diagnostics;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>
/// Whole servers, ours against stock sockets: one binary, one CPU, one load at a time. CPU time of the server per completed
/// request is what decides; rate and latency depend on the machine's noise as well.
/// </summary>
internal sealed class HttpBenchmark
{
    private const string IdleUnit = "us/s";

    // 0.1 % of a CPU, a single tick of /proc/PID/stat in 10 s; a watchdog that ticks every millisecond takes several times as
    // much. Kestrel's own timers (heartbeat, date header) are in it: stock sockets were seen at 50 to 600 us/s.
    private const double IdleLimit = 1000;

    private static readonly TimeSpan s_afterWarmUp = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_beforeIdle = TimeSpan.FromSeconds(5);

    private readonly HttpPlan _plan;
    private readonly BenchmarkCpus _cpus;
    private readonly HttpServers _servers;
    private readonly DirectoryInfo _scratch;
    private readonly Action<BenchmarkRow, double?> _report;
    private readonly string _peer;

    private HttpBenchmark(
        HttpPlan plan, BenchmarkCpus cpus, HttpServers servers, DirectoryInfo scratch, Action<BenchmarkRow, double?> report)
    {
        (_plan, _cpus, _servers, _scratch, _report) = (plan, cpus, servers, scratch, report);
        _peer = $"Kestrel SocketTransport {FrameworkVersion.Of(Stock.Id)}";
    }

    private WebServer Stock => _servers.All[0];

    private IEnumerable<WebServer> Challengers => _servers.All.Skip(1);

    public static async Task RunAsync(BenchmarkOptions options, TextWriter output, CancellationToken cancellation)
    {
        BenchmarkReport.RefuseDebugBuild();
        var plan = new HttpPlan(options);
        plan.RequireTools();
        var cpus = BenchmarkCpus.OfThisMachine();
        using var report = BenchmarkReport.Start(options.Json, output, Method(plan, cpus), [cpus.Note]);
        var scratch = Directory.CreateTempSubdirectory("numasharp-benchmarks-");
        try
        {
            using var servers = await HttpServers.StartAsync(
                plan.Challengers.Prepend(ServerSide.Stock), cpus.Server, cancellation);
            await new HttpBenchmark(plan, cpus, servers, scratch, report.Add).RunAsync(cancellation);
        }
        finally
        {
            scratch.Delete(recursive: true);
        }

        report.Complete();
    }

    private static string Method(HttpPlan plan, BenchmarkCpus cpus) => string.Create(
        CultureInfo.InvariantCulture,
        $"http: {plan.Scenarios.Count} scenarios x {plan.Challengers.Count + 1} servers, {plan.Lengths}; "
        + $"server on CPU {cpus.Server?.ToString(CultureInfo.InvariantCulture) ?? "any"}, "
        + $"load on CPU {cpus.Load?.ToString(CultureInfo.InvariantCulture) ?? "any"}; "
        + $"about {plan.Budget.TotalMinutes:N1} minutes");

    private async Task RunAsync(CancellationToken cancellation)
    {
        foreach (var scenario in _plan.Scenarios)
        {
            var samples = await RunScenarioAsync(scenario, cancellation);
            foreach (var (server, ours) in Challengers.Zip(samples.Skip(1)))
            {
                var asked = scenario.TargetsOf(server.Side);
                foreach (var metric in _plan.Metrics(scenario, server.Side))
                {
                    var name = scenario.RowName(metric.Name, server.Side);
                    var (row, spread) = metric.Compare(name, _peer, ours, samples[0], asked);
                    _report(row, spread);
                }
            }
        }

        await MeasureIdleAsync(cancellation);
    }

    private async Task<IReadOnlyList<HttpSample>[]> RunScenarioAsync(HttpScenario scenario, CancellationToken cancellation)
    {
        foreach (var server in Enumerable.Repeat(_servers.All, HttpRunLengths.WarmUpRuns).SelectMany(servers => servers))
        {
            await MeasureAsync(scenario, server, cancellation);
        }

        await Task.Delay(s_afterWarmUp, cancellation);
        await _servers.WaitUntilQuietAsync(cancellation);
        var samples = _servers.All.Select(_ => new List<HttpSample>()).ToArray();
        for (var round = 0; round < _plan.Lengths.Rounds; round++)
        {
            foreach (var side in Alternation.Order(samples.Length, round))
            {
                samples[side].Add(await MeasureAsync(scenario, _servers.All[side], cancellation));
            }
        }

        return samples;
    }

    private async Task<HttpSample> MeasureAsync(HttpScenario scenario, WebServer server, CancellationToken cancellation)
    {
        try
        {
            var before = server.Cpu.ReadNanoseconds();
            var load = await scenario.Load.RunAsync(
                new LoadTarget(server.Ports, _cpus.Load, _scratch), _plan.Lengths.RunSeconds, cancellation);
            var spent = server.Cpu.ReadNanoseconds() - before;
            await _servers.WaitUntilQuietAsync(cancellation);
            return new HttpSample(spent / 1e3 / load.Requests, load.RequestsPerSecond, load.P99Milliseconds);
        }
        catch (BenchmarkException failure)
        {
            server.ThrowIfExited();
            throw new BenchmarkException(
                $"{scenario.Name}{scenario.MetricSuffix} on server '{server.Side.Name}': {failure.Message}");
        }
    }

    private async Task MeasureIdleAsync(CancellationToken cancellation)
    {
        var measured = Challengers.Where(server => server.Side.IsOurs && _plan.IncludesIdle(server.Side)).ToArray();
        if (measured.Length == 0)
        {
            return;
        }

        await Task.Delay(s_beforeIdle, cancellation);
        var before = measured.Select(server => server.Cpu.ReadNanoseconds()).ToArray();
        var start = Stopwatch.GetTimestamp();
        await Task.Delay(TimeSpan.FromSeconds(_plan.Lengths.IdleSeconds), cancellation);
        var seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        foreach (var (server, spentBefore) in measured.Zip(before))
        {
            var spent = (server.Cpu.ReadNanoseconds() - spentBefore) / 1e3 / seconds;
            _report(BenchmarkRow.Limit(HttpPlan.IdleRow(server.Side), spent, IdleLimit, IdleUnit), null);
        }
    }
}
