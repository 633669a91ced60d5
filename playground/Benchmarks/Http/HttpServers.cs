namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The servers of a run, all of them up; the peer is the first.</summary>
internal sealed class HttpServers : IDisposable
{
    private readonly List<WebServer> _servers = [];

    public IReadOnlyList<WebServer> All => _servers;

    public static async Task<HttpServers> StartAsync(
        IEnumerable<ServerSide> sides, int? cpu, CancellationToken cancellation)
    {
        var servers = new HttpServers();
        var ports = new HashSet<int>();
        try
        {
            foreach (var side in sides)
            {
                var server = await WebServer.StartAsync(side, ServerPorts.Choose(ports), cpu, cancellation);
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

    public void Dispose()
    {
        foreach (var server in _servers)
        {
            server.Dispose();
        }
    }
}
