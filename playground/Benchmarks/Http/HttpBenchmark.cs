using System.Diagnostics;
using System.Globalization;
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

    private static readonly TimeSpan s_beforeIdle = TimeSpan.FromSeconds(5);

    private readonly HttpPlan _plan;
    private readonly HttpServers _servers;
    private readonly HttpRuns _runs;
    private readonly BenchmarkReport _report;

    private HttpBenchmark(HttpPlan plan, HttpServers servers, HttpRuns runs, BenchmarkReport report) =>
        (_plan, _servers, _runs, _report) = (plan, servers, runs, report);

    public static async Task RunAsync(BenchmarkOptions options, TextWriter output, CancellationToken cancellation)
    {
        BenchmarkReport.RefuseDebugBuild();
        var plan = new HttpPlan(options);
        plan.RequireTools();
        var cpus = BenchmarkCpus.OfThisMachine();
        string?[] notes =
            [cpus.Note, .. plan.Memory.Select(static memory => memory.LeftOut), .. plan.Scenarios.Select(plan.LeftOut)];
        using var report = BenchmarkReport.Start(options, output, Method(plan, cpus), notes);
        var scratch = Directory.CreateTempSubdirectory("numasharp-benchmarks-");
        try
        {
            foreach (var memory in plan.Memory.Where(static memory => memory.LeftOut is null))
            {
                await memory.MeasureAsync(cpus, scratch, report.Add, cancellation);
            }

            if (plan.Stalls is { } stalls)
            {
                await stalls.MeasureAsync(cpus, plan.Lengths, scratch, report.Add, cancellation);
            }

            foreach (var setting in ServerSetting.All)
            {
                await MeasureAsync(setting);
            }
        }
        finally
        {
            scratch.Delete(recursive: true);
        }

        report.Complete();

        async Task MeasureAsync(ServerSetting setting)
        {
            HttpScenario[] scenarios =
                [.. plan.Scenarios.Where(scenario => scenario.Setting == setting && plan.LeftOut(scenario) is null)];
            ServerSide[] challengers = [.. plan.Sides(setting)];
            var measuresIdle = setting == ServerSetting.Usual && challengers.Any(plan.IncludesIdle);
            if (scenarios.Length > 0 || measuresIdle)
            {
                var (serverCpu, loadCpu) = setting.IsPinned ? (cpus.Server, cpus.Load) : (null, null);
                using var servers = await HttpServers.StartAsync(
                    [.. plan.PeersOf(challengers), .. challengers], setting, serverCpu, cancellation);
                var runs = new HttpRuns(servers, plan.Lengths, loadCpu, scratch);
                var benchmark = new HttpBenchmark(plan, servers, runs, report);
                await benchmark.RunAsync(scenarios, cancellation);
                if (measuresIdle)
                {
                    await benchmark.MeasureIdleAsync(cancellation);
                }
            }
        }
    }

    private static string Method(HttpPlan plan, BenchmarkCpus cpus) => string.Create(
        CultureInfo.InvariantCulture,
        $"http: {plan.Scenarios.Count} scenarios x {plan.Challengers.Count + plan.PeersOf(plan.Challengers).Count} servers, "
        + $"{plan.Lengths}; "
        + $"server on CPU {cpus.Server?.ToString(CultureInfo.InvariantCulture) ?? "any"}, "
        + $"load on CPU {cpus.Load?.ToString(CultureInfo.InvariantCulture) ?? "any"}; "
        + $"about {plan.Budget.TotalMinutes:N1} minutes");

    private async Task RunAsync(HttpScenario[] scenarios, CancellationToken cancellation)
    {
        foreach (var scenario in scenarios)
        {
            ServerSide[] sides = [.. _plan.Sides(scenario)];
            var peers = _servers.Of(_plan.PeersOf(sides));
            var samples = await _runs.MeasureAsync(scenario, [.. peers, .. _servers.Of(sides)], cancellation);
            foreach (var (side, ours) in sides.Zip(samples.Skip(peers.Count)))
            {
                var (position, peer) = peers.Index().Single(each => each.Item.Side == _plan.PeerOf(side));
                foreach (var metric in _plan.Metrics(scenario, side))
                {
                    var target = _plan.TargetOf(scenario, metric, side);
                    _report.Add(metric.Compare(scenario.RowName(metric, side), peer.PeerName, ours, samples[position], target));
                }
            }

            CompareWithReferences(scenario, sides, samples[peers.Count..]);
        }
    }

    private void CompareWithReferences(HttpScenario scenario, ServerSide[] sides, IReadOnlyList<HttpSample>[] samples)
    {
        foreach (var (row, adaptive, reference) in _plan.References(scenario, sides))
        {
            _report.Add(HttpMetric.Cpu.Compare(
                row.Name,
                reference.Name,
                samples[Array.IndexOf(sides, adaptive)],
                samples[Array.IndexOf(sides, reference)],
                row.Target));
        }
    }

    private async Task MeasureIdleAsync(CancellationToken cancellation)
    {
        var measured = _servers.All.Where(static server => server.Side.IsOurs).ToArray();
        await Task.Delay(s_beforeIdle, cancellation);
        var before = measured.Select(server => server.Cpu.ReadNanoseconds()).ToArray();
        var start = Stopwatch.GetTimestamp();
        await Task.Delay(_plan.Lengths.Idle, cancellation);
        var seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        var spent = measured.Zip(before).ToDictionary(
            static pair => pair.First.Side, pair => (pair.First.Cpu.ReadNanoseconds() - pair.Second) / 1e3 / seconds);
        foreach (var side in _plan.Challengers.Where(_plan.IncludesIdle))
        {
            _report.Add(
                spent.TryGetValue(_plan.PeerOf(side), out var ofPeer)
                    ? BenchmarkRow.Cost(HttpPlan.IdleRow(side), _plan.PeerOf(side).Name, spent[side], ofPeer, IdleUnit, default)
                    : BenchmarkRow.Limit(HttpPlan.IdleRow(side), spent[side], IdleLimit, IdleUnit),
                null);
        }
    }
}
