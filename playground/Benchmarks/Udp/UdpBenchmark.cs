using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Udp.Load;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>
/// Datagrams over loopback and a network that cuts and joins: one process per way to receive, echo or send them, on one CPU, one
/// at a time; CPU time of the process per datagram decides.
/// </summary>
internal sealed class UdpBenchmark(UdpRunLengths lengths, BenchmarkCpus cpus, BenchmarkReport report, VethPair? veth)
{
    private const double LeastBytes = 1;

    public static async Task RunAsync(BenchmarkOptions options, TextWriter output, CancellationToken cancellation)
    {
        BenchmarkReport.RefuseDebugBuild();
        bool IsWanted(string row) => options.Filter is null || row.Contains(options.Filter, StringComparison.OrdinalIgnoreCase);
        UdpScenario[] scenarios = [.. UdpScenario.All.Select(scenario => scenario.Where(IsWanted)).OfType<UdpScenario>()];
        if (scenarios.Length == 0)
        {
            throw new BenchmarkException($"no row has '{options.Filter}' in its name");
        }

        var lack = scenarios.Any(static scenario => scenario.Network == UdpNetwork.Veth) ? VethPair.Lack : null;
        if (lack is not null)
        {
            scenarios = [.. scenarios.Where(static scenario => scenario.Network != UdpNetwork.Veth)];
        }

        var lengths = options.Quick ? UdpRunLengths.Quick : UdpRunLengths.Full;
        var cpus = BenchmarkCpus.OfThisMachine();
        using var report = BenchmarkReport.Start(
            options,
            output,
            Method(scenarios, lengths, cpus),
            [cpus.Note, lack is null ? null : $"the rows of veth are left out: {lack}"]);
        using var veth = scenarios.Any(static scenario => scenario.Network == UdpNetwork.Veth)
            ? await VethPair.CreateAsync(cancellation)
            : null;
        var benchmark = new UdpBenchmark(lengths, cpus, report, veth);
        foreach (var scenario in scenarios)
        {
            await benchmark.MeasureAsync(scenario, cancellation);
        }

        report.Complete();
    }

    private static string Method(UdpScenario[] scenarios, UdpRunLengths lengths, BenchmarkCpus cpus) => string.Create(
        CultureInfo.InvariantCulture,
        $"udp: {scenarios.Length} loads, the median of {lengths.Rounds} rounds of {lengths.Run.TotalSeconds} s per "
        + $"side in alternating order; server on CPU {cpus.Server?.ToString(CultureInfo.InvariantCulture) ?? "any"}, "
        + $"load on CPU {cpus.Load?.ToString(CultureInfo.InvariantCulture) ?? "any"}; "
        + $"about {lengths.Budget(scenarios).TotalMinutes:N1} minutes");

    private async Task MeasureAsync(UdpScenario scenario, CancellationToken cancellation)
    {
        var sides = scenario.Sides;
        var servers = new List<UdpServer>();
        try
        {
            foreach (var side in sides)
            {
                servers.Add(await UdpServer.StartAsync(
                    side, scenario.Kind == UdpLoadKind.Echo, scenario.Network, cpus.Server, cancellation));
            }

            foreach (var server in servers)
            {
                // Twice: code is replaced once its callers have run for a while.
                await RunAsync(scenario, server, lengths.WarmUp, cancellation);
                await RunAsync(scenario, server, lengths.WarmUp, cancellation);
            }

            Report(scenario, sides, await Alternation.MeasureAsync(
                sides.Count, lengths.Rounds, side => RunAsync(scenario, servers[side], lengths.Run, cancellation)));
        }
        finally
        {
            servers.ForEach(static server => server.Dispose());
        }
    }

    private void Report(UdpScenario scenario, IReadOnlyList<UdpSide> sides, IReadOnlyList<UdpSample>[] samples)
    {
        foreach (var pair in scenario.Pairs)
        {
            var (ours, theirs) = (samples[IndexOf(pair.Ours)], samples[IndexOf(pair.Peer)]);
            foreach (var metric in scenario.Metrics(pair))
            {
                report.Add(metric.Compare(
                    scenario.RowName(pair, metric.Name), pair.Peer.Name, ours, theirs, metric.Target));
            }
        }

        foreach (var side in scenario.Pairs.Select(static pair => pair.Ours).Distinct())
        {
            // The harness's own requests cost less than a byte.
            var bytes = samples[IndexOf(side)].Min(static sample => sample.ManagedBytes);
            report.Add(BenchmarkRow.Limit(scenario.BytesRow(side), bytes, LeastBytes, "B/datagram"), null);
        }

        int IndexOf(UdpSide side) => sides.ToList().IndexOf(side);
    }

    private Task<UdpSample> RunAsync(
        UdpScenario scenario, UdpServer server, TimeSpan length, CancellationToken cancellation) =>
        scenario.Kind == UdpLoadKind.Send
            ? SendAsync(scenario, server, length, cancellation)
            : ReceiveAsync(scenario, server, length, cancellation);

    private static async Task<UdpSample> SendAsync(
        UdpScenario scenario, UdpServer server, TimeSpan length, CancellationToken cancellation)
    {
        using var sink = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        sink.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        server.Send(((IPEndPoint)sink.LocalEndPoint!).Port, scenario.Size, UdpRunLengths.Lead + length + UdpRunLengths.Lead);
        await Task.Delay(UdpRunLengths.Lead, cancellation);
        var before = server.Read();
        await Task.Delay(length, cancellation);
        var sample = server.Read().Since(before, latency: null);
        await Task.Delay(UdpRunLengths.Lead + UdpRunLengths.Lead, cancellation);
        return sample;
    }

    private async Task<UdpSample> ReceiveAsync(
        UdpScenario scenario, UdpServer server, TimeSpan length, CancellationToken cancellation)
    {
        var whole = UdpRunLengths.Lead + length + UdpRunLengths.Lead;
        var isEcho = scenario.Kind == UdpLoadKind.Echo;
        var arguments = isEcho
            ? UdpPingCommand.Arguments(server.Port, scenario.Size, scenario.Amount, whole)
            : UdpFloodCommand.Arguments(scenario.Network, server.Port, scenario.Size, scenario.Amount, whole);
        var info = new ProcessStartInfo(Executables.DotnetHost, [Assembly.GetExecutingAssembly().Location, .. arguments]);

        // The compiler's second pass would take the client's only CPU for milliseconds at a time.
        info.Environment["DOTNET_TieredCompilation"] = "0";
        if (scenario.Network == UdpNetwork.Veth)
        {
            info = veth!.Inside(info);
        }

        var load = LoadProcess.RunAsync(info, cpus.Load, whole, cancellation);
        await Task.Delay(UdpPingCommand.StartAndWarmUp + UdpRunLengths.Lead, cancellation);
        var before = server.Read();
        await Task.Delay(length - UdpRunLengths.Lead, cancellation);
        var after = server.Read();
        return after.Since(before, UdpReport.LatencyOf(scenario.Name, await load));
    }
}
