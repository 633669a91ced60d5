using System.Globalization;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Playground.Benchmarks.Measurement;
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
    private const int MostAttempts = 5;

    public static async Task RunAsync(BenchmarkOptions options, TextWriter output, CancellationToken cancellation)
    {
        BenchmarkReport.RefuseDebugBuild();
        var scenarios = UdpScenario.Planned(options);
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

    private static string Method(
        IReadOnlyList<UdpScenario> scenarios, UdpRunLengths lengths, BenchmarkCpus cpus) => string.Create(
        CultureInfo.InvariantCulture,
        $"udp: {scenarios.Count} loads, the median of {lengths.Rounds} rounds of {lengths.Run.TotalSeconds} s per "
        + $"side in alternating order; server on CPU {cpus.Server?.ToString(CultureInfo.InvariantCulture) ?? "any"}, "
        + $"load on CPU {cpus.Load?.ToString(CultureInfo.InvariantCulture) ?? "any"}; "
        + $"about {lengths.Budget(scenarios).TotalMinutes:N1} minutes");

    private async Task MeasureAsync(UdpScenario scenario, CancellationToken cancellation)
    {
        var sides = scenario.Sides;
        var servers = new List<UdpServer>();
        using var load = scenario.Kind == UdpLoadKind.Send ? null : UdpLoad.Start(scenario, veth, cpus.Load);
        try
        {
            foreach (var side in sides)
            {
                servers.Add(await UdpServer.StartAsync(
                    side, scenario.Kind == UdpLoadKind.Echo, scenario.Network, cpus.Server, cancellation));
            }

            foreach (var server in servers)
            {
                for (var i = 0; i < UdpRunLengths.WarmUps; i++)
                {
                    await RunAsync(server, lengths.WarmUp);
                }
            }

            Report(scenario, sides, await Alternation.MeasureAsync(
                sides.Count, lengths.Rounds, side => RunAsync(servers[side], lengths.Run)));
        }
        finally
        {
            servers.ForEach(static server => server.Dispose());
        }

        Task<UdpSample> RunAsync(UdpServer server, TimeSpan length) => load is null
            ? SendAsync(scenario, server, length, cancellation)
            : ReceiveAsync(load, server, length, cancellation);
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

    private async Task<UdpSample> SendAsync(
        UdpScenario scenario, UdpServer server, TimeSpan length, CancellationToken cancellation)
    {
        using var sink = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        sink.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        server.Send(((IPEndPoint)sink.LocalEndPoint!).Port, scenario.Size, lengths.Lead + length + lengths.Lead);
        var (before, after) = await MeasureAsync(server, length, cancellation);
        await Task.Delay(lengths.Lead + lengths.Lead, cancellation);
        return after.Since(before);
    }

    private async Task<UdpSample> ReceiveAsync(UdpLoad load, UdpServer server, TimeSpan length, CancellationToken cancellation)
    {
        for (var attempt = 1; ; attempt++)
        {
            load.Begin(server.Port, lengths.Lead, length + lengths.Lead);
            var (before, after) = await MeasureAsync(server, length, cancellation);
            var isWhole = !load.HasEnded;
            var latency = await load.EndAsync(cancellation);
            if (isWhole)
            {
                return after.Since(before) with { Latency = latency };
            }

            // A time without load is in the readings.
            if (attempt == MostAttempts)
            {
                throw new BenchmarkException(
                    $"this machine is too busy: {MostAttempts} times the load had ended before its end was measured");
            }
        }
    }

    private async Task<(UdpReading Before, UdpReading After)> MeasureAsync(
        UdpServer server, TimeSpan length, CancellationToken cancellation)
    {
        await Task.Delay(lengths.Lead, cancellation);
        var before = server.Read();
        await Task.Delay(length, cancellation);
        return (before, server.Read());
    }
}
