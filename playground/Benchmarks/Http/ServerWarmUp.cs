namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>
/// A server is warm when the runtime has compiled no more than a few methods in a run: code is replaced twice, the second time
/// by what the first has learned (22 us per request before, 12 after), and each time only when 100 ms have brought no new method.
/// </summary>
internal static class ServerWarmUp
{
    // More were never needed.
    private const int MaximumRuns = 8;
    private const int FewMethods = 10;

    /// <summary>Runs a load on each of the servers that is not warm yet, again and again.</summary>
    /// <param name="servers">In the order in which they run.</param>
    /// <param name="load">The load that is measured afterwards.</param>
    /// <param name="cancellation">Ends it.</param>
    public static async Task RunAsync(
        IReadOnlyList<WebServer> servers, Func<WebServer, Task> load, CancellationToken cancellation)
    {
        var cold = servers.ToList();
        for (var run = 0; run < MaximumRuns && cold.Count > 0; run++)
        {
            foreach (var server in cold.ToArray())
            {
                var before = await server.Memory.ReadCompiledAsync(cancellation);
                await load(server);
                if (await server.Memory.ReadCompiledAsync(cancellation) - before <= FewMethods)
                {
                    cold.Remove(server);
                }
            }
        }
    }
}
