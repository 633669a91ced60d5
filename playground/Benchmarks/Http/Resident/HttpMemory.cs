using System.Globalization;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Resident;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>
/// What 10,000 idle connections take, and what is left of a burst: a fresh server for each side, because one that was under
/// load holds what that load needed.
/// </summary>
internal sealed class HttpMemory
{
    private const int Connections = 10_000;

    // The code that connections run through is compiled, and its pools are there, before anything is counted.
    private const int WarmUpConnections = 200;
    private const int BurstKilobytes = 64;
    private const int BurstConnections = 512;
    private const double Megabyte = 1 << 20;

    // Of descriptors, beside the connections.
    private const int Headroom = 500;

    private const string Limits = "/proc/self/limits";
    private const string LimitKey = "Max open files";

    private static readonly TimeSpan s_burst = TimeSpan.FromSeconds(2);

    // Kestrel's pool gives back what was idle for some seconds, and so does ours.
    private static readonly TimeSpan s_afterBurst = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(1);

    // Starting, connecting, collecting: of one side.
    private static readonly TimeSpan s_rest = TimeSpan.FromSeconds(12);

    private static readonly MemoryRow[] s_rows =
    [
        new("10k idle transport", "B/connection", static report => report.BytesPerRawConnection, new(0.5, null)),
        new("10k idle heap", "B/connection", static report => report.BytesPerConnection, default),
        new("10k idle resident", "MB", static report => report.Resident / Megabyte, new(1, null)),
        new("after burst resident", "MB", static report => report.AfterBurst / Megabyte, new(null, 1)),
    ];

    private readonly ServerSide _side;
    private readonly MemoryRow[] _rows;

    private HttpMemory(ServerSide side, MemoryRow[] rows) => (_side, _rows) = (side, rows);

    public static ILoadGenerator Burst { get; } =
        new WrkLoad("/echo", BurstKilobytes * 1024) { Connections = BurstConnections, PostsBody = true };

    public IEnumerable<string> RowNames => _rows.Select(NameOf);

    public static TimeSpan Budget => 2 * (s_rest + s_burst + s_afterBurst);

    /// <summary>Why this machine cannot have the rows; null when it can.</summary>
    public string? LeftOut => NoteOfDescriptors(RowNames, Connections + Headroom);

    /// <summary>The rows that a filter leaves; null for none, or where no side is ours.</summary>
    public static HttpMemory? Of(ServerSide? side, Func<string, bool> isWanted)
    {
        if (side is null)
        {
            return null;
        }

        var all = new HttpMemory(side, s_rows);
        MemoryRow[] left = [.. s_rows.Where(row => isWanted(all.NameOf(row)))];
        return left.Length == 0 ? null : new HttpMemory(side, left);
    }

    /// <summary>Why rows that need so many descriptors are left out; null where this process may have them.</summary>
    public static string? NoteOfDescriptors(IEnumerable<string> rows, int needed) =>
        DescriptorLimit(File.ReadLines(Limits)) is var limit && limit < needed
            ? $"left out: {string.Join(", ", rows)}: {needed} descriptors are needed, {limit} are allowed"
            : null;

    /// <summary>The hard limit of "Max open files" in /proc/PID/limits, to which the runtime raises the soft one.</summary>
    public static long DescriptorLimit(IEnumerable<string> limits)
    {
        var line = limits.FirstOrDefault(static line => line.StartsWith(LimitKey, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{Limits} has no '{LimitKey}'");
        var hard = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[^2];
        return hard == "unlimited" ? long.MaxValue : long.Parse(hard, CultureInfo.InvariantCulture);
    }

    public async Task MeasureAsync(
        BenchmarkCpus cpus, DirectoryInfo scratch, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        var (theirs, peer) = await MeasureAsync(ServerSide.Stock, cpus, scratch, cancellation);
        var (ours, _) = await MeasureAsync(_side, cpus, scratch, cancellation);
        foreach (var row in _rows)
        {
            var measured = BenchmarkRow.Cost(NameOf(row), peer, row.Of(ours), row.Of(theirs), row.Unit, row.Target);
            report(new MeasuredRow(measured, null));
        }
    }

    private static async Task<(MemoryReport Report, string Peer)> MeasureAsync(
        ServerSide side, BenchmarkCpus cpus, DirectoryInfo scratch, CancellationToken cancellation)
    {
        using var servers = await HttpServers.StartAsync([side], cpus.Server, cancellation);
        var server = servers.Peer;
        await HoldAsync(server, raw: true, WarmUpConnections, cancellation);
        await HoldAsync(server, raw: false, WarmUpConnections, cancellation);
        var raw = await HoldAsync(server, raw: true, Connections, cancellation);
        var http = await HoldAsync(server, raw: false, Connections, cancellation);
        await Burst.RunAsync(new LoadTarget(server.Ports, cpus.Load, scratch), s_burst, cancellation);
        await Task.Delay(s_afterBurst, cancellation);
        var afterBurst = ResidentBytes(server);
        return (new MemoryReport(raw.Bytes, http.Bytes, http.Resident, afterBurst), server.PeerName);

        async Task<(double Bytes, long Resident)> HoldAsync(WebServer on, bool raw, int count, CancellationToken token)
        {
            await Task.Delay(s_settling, token);
            await servers.WaitUntilQuietAsync(token);
            var before = await on.Memory.CollectAsync(token);
            using var held = raw
                ? HeldConnections.Open(on.Ports.Raw, count, "ping"u8, "ping"u8, token)
                : HeldConnections.Open(
                    on.Ports.Http, count, "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"u8, "\r\n\r\npong"u8, token);
            await servers.WaitUntilQuietAsync(token);
            var live = await on.Memory.CollectAsync(token);
            return ((live - before) / (double)count, ResidentBytes(on));
        }
    }

    private static long ResidentBytes(WebServer server) => ResidentProbe.ReadResidentBytes(server.Id);

    private string NameOf(MemoryRow row) => row.Name + _side.RowSuffix;
}
