using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Resident;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>
/// What clients hold of a server by keeping it waiting, at the worst moment for us, and what is left of it when they have gone: a
/// fresh server for each side and attack, because one holds what the attack before it needed.
/// </summary>
internal sealed class AttackMemory
{
    private const int Connections = 500;
    private const int WarmUpConnections = 50;
    private const int UploadBytes = 1_500_000;
    private const double Kilobyte = 1024;

    private const double LeastBytes = 4096;

    // Of descriptors, beside the connections.
    private const int Headroom = 500;

    // After the last connection has done its part. Our transport looks every few seconds for memory that a connection does not
    // need; Kestrel waits 30 s for a header.
    private static readonly int[] s_moments = [0, 1, 2, 4, 8, 15];
    private static readonly TimeSpan s_afterwards = TimeSpan.FromSeconds(60);

    // Starting, connecting, collecting: of one side.
    private static readonly TimeSpan s_rest = TimeSpan.FromSeconds(30);

    private static readonly AttackRow[] s_rows =
    [
        new("half header resident", "KB/connection", static (report, i) => PerConnection(report.HalfHeader[i]), new(1, null)),
        new("slow reader resident", "KB/connection", static (report, i) => PerConnection(report.SlowReader[i]), new(1, null)),
        new("after attack resident", "MB", static (report, _) => report.Afterwards / Kilobyte / Kilobyte, new(1.2, null)),
    ];

    private static readonly byte[] s_upload =
    [
        .. "POST /sink HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1500000\r\n\r\n"u8, .. new byte[UploadBytes],
    ];

    private readonly ServerSide _side;
    private readonly AttackRow[] _rows;

    private AttackMemory(ServerSide side, AttackRow[] rows) => (_side, _rows) = (side, rows);

    public IEnumerable<string> RowNames => _rows.Select(NameOf);

    public static TimeSpan Budget => 2 * (s_rest + (2 * TimeSpan.FromSeconds(s_moments[^1])) + s_afterwards);

    /// <summary>Why this machine cannot have the rows; null when it can.</summary>
    public string? LeftOut => HttpMemory.NoteOfDescriptors(RowNames, Connections + Headroom);

    /// <summary>The rows that a filter leaves; null for none, or where no side is ours.</summary>
    public static AttackMemory? Of(ServerSide? side, Func<string, bool> isWanted)
    {
        if (side is null)
        {
            return null;
        }

        var all = new AttackMemory(side, s_rows);
        AttackRow[] left = [.. s_rows.Where(row => isWanted(all.NameOf(row)))];
        return left.Length == 0 ? null : new AttackMemory(side, left);
    }

    /// <summary>The moment at which ours is the largest multiple of theirs.</summary>
    public static int WorstMoment(IReadOnlyList<double> ours, IReadOnlyList<double> theirs) =>
        Enumerable.Range(0, ours.Count).MaxBy(i => ours[i] / theirs[i]);

    /// <summary>Kilobytes that a connection holds, at least a page: below that a ratio means nothing.</summary>
    public static double PerConnection(double bytes) => Math.Max(bytes, LeastBytes) / Kilobyte;

    public async Task MeasureAsync(BenchmarkCpus cpus, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        var (theirs, peer) = await MeasureAsync(ServerSide.Stock, cpus, cancellation);
        var (ours, _) = await MeasureAsync(_side, cpus, cancellation);
        foreach (var row in _rows)
        {
            var (mine, stock) = (SamplesOf(row, ours), SamplesOf(row, theirs));
            var worst = WorstMoment(mine, stock);
            report(new MeasuredRow(
                BenchmarkRow.Cost(NameOf(row), peer, mine[worst], stock[worst], row.Unit, row.Target), null));
        }
    }

    private static double[] SamplesOf(AttackRow row, AttackReport report) =>
        [.. s_moments.Select((_, i) => row.Of(report, i))];

    private static async Task<(AttackReport Report, string Peer)> MeasureAsync(
        ServerSide side, BenchmarkCpus cpus, CancellationToken cancellation)
    {
        double[] slowReader;
        using (var slow = await HttpServers.StartAsync([side], cpus.Server, cancellation))
        {
            slowReader = await HoldAsync(slow, OpenSlowReaders, cancellation);
        }

        using var servers = await HttpServers.StartAsync([side], cpus.Server, cancellation);
        var server = servers.Peer;
        var halfHeader = await HoldAsync(servers, OpenHalfHeaders, cancellation);
        await Task.Delay(s_afterwards, cancellation);
        await server.Memory.CollectAsync(cancellation);
        return (new AttackReport(halfHeader, slowReader, ResidentProbe.ReadResidentBytes(server.Id)), server.PeerName);
    }

    private static async Task<double[]> HoldAsync(
        HttpServers servers, Func<WebServer, int, CancellationToken, HeldConnections> open, CancellationToken cancellation)
    {
        var server = servers.Peer;
        open(server, WarmUpConnections, cancellation).Dispose();
        await servers.WaitUntilQuietAsync(cancellation);
        await server.Memory.CollectAsync(cancellation);
        var before = ResidentProbe.ReadResidentBytes(server.Id);
        using var held = open(server, Connections, cancellation);
        var samples = new List<double>();
        var waited = 0;
        foreach (var moment in s_moments)
        {
            await Task.Delay(TimeSpan.FromSeconds(moment - waited), cancellation);
            waited = moment;
            samples.Add((ResidentProbe.ReadResidentBytes(server.Id) - before) / (double)Connections);
        }

        held.RequireOpen();
        return [.. samples];
    }

    private static HeldConnections OpenHalfHeaders(WebServer server, int count, CancellationToken cancellation)
    {
        var held = HeldConnections.Open(server.Ports.Http, count, s_upload, "\r\n\r\n1500000"u8, cancellation);
        held.Send("GET /ping HTTP/1.1\r\nHost: 127"u8);
        return held;
    }

    // More than the kernel's buffers of both ends take, about 3 MB over loopback: the server must hold some of it.
    private static HeldConnections OpenSlowReaders(WebServer server, int count, CancellationToken cancellation) =>
        HeldConnections.Open(server.Ports.Http, count, "GET /big/64 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"u8, [], cancellation);

    private string NameOf(AttackRow row) => row.Name + _side.RowSuffix;
}
