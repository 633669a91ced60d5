using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Resident;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>
/// The memory of a server that clients hold by keeping it waiting, and what is left when they have gone: a server for each
/// attack, because it would still hold what the attack before it needed.
/// </summary>
internal sealed class AttackMemory : IMemoryLook
{
    private const int WarmUpConnections = 50;
    private const int UploadBytes = 1_500_000;
    private const double Kilobyte = 1024;
    private const double LeastBytes = 4096;

    // After the last connection has done its part. Our transport looks every few seconds for memory that a connection does not
    // need; Kestrel waits 30 s for a header.
    private static readonly int[] s_moments = [0, 1, 2, 4, 8, 15];
    private static readonly TimeSpan s_afterwards = TimeSpan.FromSeconds(60);

    // Starting, connecting, collecting.
    private static readonly TimeSpan s_rest = TimeSpan.FromSeconds(30);

    private static readonly byte[] s_upload =
    [
        .. "POST /sink HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1500000\r\n\r\n"u8, .. new byte[UploadBytes],
    ];

    public IReadOnlyList<MemoryRow> Rows { get; } =
    [
        new("half header resident", "KB/connection", new(1, null)),
        new("slow reader resident", "KB/connection", new(1, null)),
        new("after attack resident", "MB", new(1.2, null)),
    ];

    public int Connections => 500;

    public TimeSpan Budget => s_rest + (2 * TimeSpan.FromSeconds(s_moments[^1])) + s_afterwards;

    /// <summary>Kilobytes that a connection holds, at least a page: below that a ratio means nothing.</summary>
    public static double PerConnection(double bytes) => Math.Max(bytes, LeastBytes) / Kilobyte;

    public async Task<(IReadOnlyList<double[]> Samples, string PeerName)> MeasureAsync(
        ServerSide side, BenchmarkCpus cpus, DirectoryInfo scratch, CancellationToken cancellation)
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
        double[] afterwards = [ResidentProbe.ReadResidentBytes(server.Id) / Kilobyte / Kilobyte];
        return ([halfHeader, slowReader, afterwards], server.PeerName);
    }

    private async Task<double[]> HoldAsync(
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
            samples.Add(PerConnection((ResidentProbe.ReadResidentBytes(server.Id) - before) / (double)Connections));
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
}
