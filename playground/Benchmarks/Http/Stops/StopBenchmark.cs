using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>
/// Requests that a graceful stop loses, ours against stock sockets: a new server for each round of each side, because a stop
/// happens once.
/// </summary>
internal static class StopBenchmark
{
    public static async Task RunAsync(BenchmarkOptions options, TextWriter output, CancellationToken cancellation)
    {
        BenchmarkReport.RefuseDebugBuild();
        var plan = new StopPlan(options);
        using var report = BenchmarkReport.Start(options, output, Method(plan), []);
        foreach (var protocol in plan.Protocols)
        {
            await MeasureAsync(plan, protocol, report, cancellation);
        }

        report.Complete();
    }

    private static string Method(StopPlan plan) => string.Create(
        CultureInfo.InvariantCulture,
        $"stop: counts of {plan.Rounds} rounds in alternating order, each with a new server that {StopRound.Connections} "
        + $"connections ask until it is stopped by SIGTERM; nothing is pinned; about {plan.Budget.TotalMinutes:N0} minutes");

    private static async Task MeasureAsync(
        StopPlan plan, StopProtocol protocol, BenchmarkReport report, CancellationToken cancellation)
    {
        ServerSide[] sides = [ServerSide.Stock, .. plan.Sides(protocol)];
        var rounds = await Alternation.MeasureAsync(
            sides.Length, plan.Rounds, side => StopRound.RunAsync(sides[side], protocol, cancellation));
        StopCounts[] counts = [.. rounds.Select(static side => side.Aggregate(
            default(StopCounts), static (sum, round) => sum + round.Counts))];
        foreach (var (side, ours) in sides.Zip(counts).Skip(1))
        {
            foreach (var row in plan.Rows(protocol, side))
            {
                report.Add(row.Compare(protocol, side, rounds[0][0].Server, ours, counts[0]), spread: null);
            }
        }
    }
}
