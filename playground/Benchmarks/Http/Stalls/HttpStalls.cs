using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Stalls;

/// <summary>
/// How long the other connections of a loop wait while application code blocks its thread: with Adaptive, on a server with one
/// CPU and so with one loop. Requests come at a constant rate, so that none is spared.
/// </summary>
internal sealed class HttpStalls
{
    private const double LimitMilliseconds = 5;
    private const string Unit = "ms";
    private const int Connections = 64;
    private const int RequestsPerSecond = 2000;
    private const string Blocking = "/block/500";

    private static readonly OpenLoopLoad s_others = new(Connections, RequestsPerSecond, IsPercent: false);

    private static readonly StallRow[] s_rows =
    [
        new("no blocker p99.9", Blocking, 0, static latency => latency.P999),
        new("one blocks p99.9", Blocking, 1, static latency => latency.P999),
        new("eight block p99", Blocking, 8, static latency => latency.P99),
        new("one spins p99", "/spin/500", 1, static latency => latency.P99),
    ];

    private readonly ServerSide _side;
    private readonly StallRow[] _rows;

    private HttpStalls(ServerSide side, StallRow[] rows) => (_side, _rows) = (side, rows);

    public IEnumerable<string> RowNames => _rows.Select(static row => row.Name);

    /// <summary>The rows that a filter leaves; null for none, or where Adaptive is not asked for.</summary>
    public static HttpStalls? Of(IEnumerable<ServerSide> asked, Func<string, bool> isWanted)
    {
        var adaptive = asked.FirstOrDefault(static side => side.Dispatch == DispatchMode.Adaptive);
        StallRow[] left = [.. s_rows.Where(row => isWanted(row.Name))];
        return adaptive is null || left.Length == 0 ? null : new HttpStalls(adaptive, left);
    }

    public TimeSpan Budget(HttpRunLengths lengths) =>
        _rows.Length * (lengths.Stalls + OpenLoopCommand.StartAndWarmUp + lengths.WarmUpOf(OpenLoopCommand.StartAndWarmUp));

    public async Task MeasureAsync(
        BenchmarkCpus cpus,
        HttpRunLengths lengths,
        DirectoryInfo scratch,
        Action<MeasuredRow> report,
        CancellationToken cancellation)
    {
        using var servers = await HttpServers.StartAsync([_side], cpus.Server, cancellation);
        var target = new LoadTarget(servers.Peer.Ports, cpus.Load, scratch);
        foreach (var row in _rows)
        {
            await using var late = new StallingRequests(target.Ports, row.Path, row.Late);
            await ServerWarmUp.RunAsync(
                [servers.Peer], _ => s_others.RunAsync(target, lengths.WarmUp, cancellation), cancellation);
            var before = late.Answered;
            var others = await s_others.RunAsync(target, lengths.Stalls, cancellation);
            await late.EndAsync();
            var answered = late.Answered - before;
            if (row.Late > 0 && answered <= row.Late)
            {
                throw new BenchmarkException($"'{row.Name}': {answered} of {row.Path} were answered: no loop was blocked");
            }

            var waited = row.Of(others.Latency!.Value);
            report(new MeasuredRow(
                row.Late > 0
                    ? BenchmarkRow.Limit(row.Name, waited, LimitMilliseconds, Unit)
                    : BenchmarkRow.Cost(row.Name, "limit", waited, LimitMilliseconds, Unit, default),
                null));
        }
    }
}
