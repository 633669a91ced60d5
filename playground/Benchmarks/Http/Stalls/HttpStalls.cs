using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Stalls;

/// <summary>
/// How long the other connections of a loop wait while application code blocks its thread: with Adaptive, on a server with one
/// CPU and so with one loop. Requests come at a constant rate, so that none is spared. Each round has a run without blocked
/// threads, too: the row is the median of the differences, and is not judged where the machine alone takes longer than the limit.
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
        new("one blocks p99.9", Blocking, 1, static latency => latency.P999) { Control = "no blocker p99.9" },
        new("eight block p99", Blocking, 8, static latency => latency.P99),
        new("one spins p99", "/spin/500", 1, static latency => latency.P99),
    ];

    private readonly ServerSide _side;
    private readonly StallRow[] _rows;

    private HttpStalls(ServerSide side, StallRow[] rows) => (_side, _rows) = (side, rows);

    public IEnumerable<string> RowNames => _rows.SelectMany(static row => row.Names);

    /// <summary>The rows that a filter leaves; null for none, or where Adaptive is not asked for.</summary>
    public static HttpStalls? Of(IEnumerable<ServerSide> asked, Func<string, bool> isWanted)
    {
        var adaptive = asked.FirstOrDefault(static side => side.Dispatch == DispatchMode.Adaptive);
        StallRow[] left = [.. s_rows.Where(row => row.Names.Any(isWanted))];
        return adaptive is null || left.Length == 0 ? null : new HttpStalls(adaptive, left);
    }

    public TimeSpan Budget(HttpRunLengths lengths) => _rows.Length * ((2 * lengths.Rounds
        * (lengths.Stalls + s_others.Overhead)) + lengths.WarmUpOf(s_others.Overhead));

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
            await WarmUpAsync(servers, target, row, lengths.WarmUp, cancellation);
            var waits = await Alternation.MeasureAsync(
                sides: 2,
                lengths.Rounds,
                side => WaitAsync(servers, target, row, isBlocked: side > 0, lengths.Stalls, cancellation));
            var control = waits[0][Statistics.MiddleRound(waits[0])];
            double[] differences = [.. waits[1].Zip(waits[0], static (blocked, alone) => blocked - alone)];
            var waited = Math.Max(0, differences[Statistics.MiddleRound(differences)]);
            report(new MeasuredRow(
                control <= LimitMilliseconds
                    ? BenchmarkRow.Limit(row.Name, waited, LimitMilliseconds, Unit)
                    : BenchmarkRow.Cost(row.Name, "limit", waited, LimitMilliseconds, Unit, default),
                null));
            if (row.Control is { } name)
            {
                report(new MeasuredRow(
                    BenchmarkRow.Cost(name, "limit", control, LimitMilliseconds, Unit, default), Statistics.Spread(waits[0])));
            }
        }
    }

    // With what blocks, so that watchdog and hand-over are warm, too.
    private static async Task WarmUpAsync(
        HttpServers servers, LoadTarget target, StallRow row, TimeSpan length, CancellationToken cancellation)
    {
        await using var late = new StallingRequests(target.Ports, row.Path, row.Late);
        await ServerWarmUp.RunAsync([servers.Peer], _ => s_others.RunAsync(target, length, cancellation), cancellation);
        await late.EndAsync();
    }

    private static async Task<double> WaitAsync(
        HttpServers servers, LoadTarget target, StallRow row, bool isBlocked, TimeSpan length, CancellationToken cancellation)
    {
        await servers.WaitUntilQuietAsync(cancellation);
        await using var late = new StallingRequests(target.Ports, row.Path, isBlocked ? row.Late : 0);
        var others = await s_others.RunAsync(target, length, cancellation);
        var answered = late.Answered;
        await late.EndAsync();
        return answered > 0 || !isBlocked
            ? row.Of(others.Latency!.Value)
            : throw new BenchmarkException($"'{row.Name}': no {row.Path} was answered in a run: no loop was blocked");
    }
}
