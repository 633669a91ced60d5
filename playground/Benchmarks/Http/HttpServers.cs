using System.Diagnostics;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The servers of a run, all of them up; the peer is the first.</summary>
internal sealed class HttpServers : IDisposable
{
    // 5 % of a CPU, over windows that are a little longer than the delay of tiered compilation.
    private const long QuietNanoseconds = 6_000_000;
    private static readonly TimeSpan s_quietWindow = TimeSpan.FromMilliseconds(120);
    private static readonly TimeSpan s_quietLimit = TimeSpan.FromSeconds(3);

    private readonly List<WebServer> _servers = [];

    public IReadOnlyList<WebServer> All => _servers;

    /// <summary>The first that was started.</summary>
    public WebServer Peer => _servers[0];

    public static Task<HttpServers> StartAsync(IEnumerable<ServerSide> sides, int? cpu, CancellationToken cancellation) =>
        StartAsync(sides, ServerSetting.Usual, cpu, cancellation);

    /// <summary>In another setting than the usual one.</summary>
    public static async Task<HttpServers> StartAsync(
        IEnumerable<ServerSide> sides, ServerSetting setting, int? cpu, CancellationToken cancellation)
    {
        var servers = new HttpServers();
        var ports = new HashSet<int>();
        try
        {
            foreach (var side in sides)
            {
                var server = await WebServer.StartAsync(side, ServerPorts.Choose(ports), setting, cpu, cancellation);
                servers._servers.Add(server);
                await ServerPreflight.CheckAsync(server, cancellation);
            }

            return servers;
        }
        catch
        {
            servers.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Waits until no server works any more: what one leaves behind (closing connections, compiling hot methods) would be a
    /// load beside the next one's. A server that never is quiet does not stop the run; the idle row shows it.
    /// </summary>
    public async Task WaitUntilQuietAsync(CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        var before = TotalCpuNanoseconds();
        while (Stopwatch.GetElapsedTime(start) < s_quietLimit)
        {
            await Task.Delay(s_quietWindow, cancellation);
            var now = TotalCpuNanoseconds();
            if (now - before < QuietNanoseconds)
            {
                return;
            }

            before = now;
        }
    }

    public IReadOnlyList<WebServer> Of(IEnumerable<ServerSide> sides) =>
        [.. sides.Select(side => _servers.Single(server => server.Side == side))];

    public void Dispose()
    {
        foreach (var server in _servers)
        {
            server.Dispose();
        }
    }

    private long TotalCpuNanoseconds() => _servers.Sum(server => server.Cpu.ReadNanoseconds());
}
