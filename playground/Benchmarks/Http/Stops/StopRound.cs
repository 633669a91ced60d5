namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>One server that is stopped by SIGTERM while its clients are in the middle of their requests.</summary>
internal static class StopRound
{
    public const int Connections = 40;

    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(20);

    public static async Task<(StopCounts Counts, string Server)> RunAsync(
        ServerSide side, StopProtocol protocol, CancellationToken cancellation)
    {
        // On all CPUs: the test is about a stop and a request at the same time.
        using var servers = await HttpServers.StartAsync([side], cpu: null, cancellation);
        var server = servers.Peer;
        var name = server.PeerName;
        var counts = await RunAsync(
            () => protocol.Connect(server.Ports),
            stop: async () =>
            {
                server.Terminate();
                await server.WaitForEndAsync(s_limit, cancellation);
            },
            cancellation);
        return (counts, name);
    }

    /// <summary>Connects, waits until every connection has been used for a while, and stops the server.</summary>
    public static async Task<StopCounts> RunAsync(
        Func<StopConnection> connect, Func<Task> stop, CancellationToken cancellation)
    {
        var connections = Enumerable.Range(0, Connections).Select(_ => connect()).ToArray();
        try
        {
            var running = connections.Select(connection => connection.RunAsync(cancellation)).ToArray();
            foreach (var (connection, run) in connections.Zip(running))
            {
                if (await Task.WhenAny(connection.Warm, run).WaitAsync(s_limit, cancellation) == run)
                {
                    await run;
                    throw new BenchmarkException("a connection ended before the server was stopped");
                }
            }

            await stop();
            var counts = await Task.WhenAll(running).WaitAsync(s_limit, cancellation);
            return counts.Aggregate(static (sum, one) => sum + one);
        }
        catch (TimeoutException)
        {
            throw new BenchmarkException(
                $"{Connections} connections were not served, or the server did not end, within {s_limit.TotalSeconds} s");
        }
        finally
        {
            Array.ForEach(connections, static connection => connection.Dispose());
        }
    }
}
