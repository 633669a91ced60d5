using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Resident;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>What 10,000 idle connections take, and what is left of a burst.</summary>
internal sealed class IdleMemory : IMemoryLook
{
    // The code that connections run through is compiled, and its pools are there, before anything is counted.
    private const int WarmUpConnections = 200;
    private const int BurstKilobytes = 64;
    private const int BurstConnections = 512;
    private const double Megabyte = 1 << 20;

    private static readonly TimeSpan s_burst = TimeSpan.FromSeconds(2);

    // Kestrel's pool gives back what was idle for some seconds, and so does ours.
    private static readonly TimeSpan s_afterBurst = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(1);

    // Starting, connecting, collecting.
    private static readonly TimeSpan s_rest = TimeSpan.FromSeconds(12);

    public IReadOnlyList<MemoryRow> Rows { get; } =
    [
        new("10k idle transport", "B/connection", new(0.5, null)),
        new("10k idle heap", "B/connection", default),
        new("10k idle resident", "MB", new(1, null)),
        new("after burst resident", "MB", new(null, 1)),
    ];

    public int Connections => 10_000;

    public TimeSpan Budget => s_rest + s_burst + s_afterBurst;

    public ILoadGenerator Load { get; } =
        new WrkLoad("/echo", BurstKilobytes * 1024) { Connections = BurstConnections, PostsBody = true };

    public async Task<(IReadOnlyList<double[]> Samples, string PeerName)> MeasureAsync(
        ServerSide side, BenchmarkCpus cpus, DirectoryInfo scratch, CancellationToken cancellation)
    {
        using var servers = await HttpServers.StartAsync([side], cpus.Server, cancellation);
        var server = servers.Peer;
        await HoldAsync(raw: true, WarmUpConnections);
        await HoldAsync(raw: false, WarmUpConnections);
        var raw = await HoldAsync(raw: true, Connections);
        var http = await HoldAsync(raw: false, Connections);
        await Load.RunAsync(new LoadTarget(server.Ports, cpus.Load, scratch), s_burst, cancellation);
        await Task.Delay(s_afterBurst, cancellation);
        return ([[raw.Bytes], [http.Bytes], [http.Resident], [ResidentMegabytes()]], server.PeerName);

        async Task<(double Bytes, double Resident)> HoldAsync(bool raw, int count)
        {
            await Task.Delay(s_settling, cancellation);
            await servers.WaitUntilQuietAsync(cancellation);
            var before = await server.Memory.CollectAsync(cancellation);
            using var held = raw
                ? HeldConnections.Open(server.Ports.Raw, count, "ping"u8, "ping"u8, cancellation)
                : HeldConnections.Open(
                    server.Ports.Http, count, "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"u8, "\r\n\r\npong"u8, cancellation);
            await servers.WaitUntilQuietAsync(cancellation);
            var live = await server.Memory.CollectAsync(cancellation);
            return ((live - before) / (double)count, ResidentMegabytes());
        }

        double ResidentMegabytes() => ResidentProbe.ReadResidentBytes(server.Id) / Megabyte;
    }
}
