using NumaSharp.Core;

namespace NumaSharp.Tool.Bench.Http;

/// <summary>CPU time per request: our transport against Kestrel's sockets, two processes of one program.</summary>
internal static class HttpRows
{
    private const double NanosecondsPerMicrosecond = 1000;

    public static IEnumerable<BenchRow> All =>
        HttpScenario.All.Select(static scenario => new BenchRow(
            $"{scenario.Name} cpu", "Kestrel's sockets", "us/request", IsPinned: true, context => Measure(context, scenario)));

    private static BenchRound[] Measure(BenchContext context, HttpScenario scenario)
    {
        // They inherit this thread's CPU, before their runtimes count theirs.
        using var stock = Start(context, "stock");
        using var ours = Start(context, HttpServer.Ours);
        var moved = context.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(context.Cpus.Clients));
        if (!moved.Succeeded)
        {
            throw new NumaException($"the clients could not be pinned to CPU {context.Cpus.Clients} ({moved})");
        }

        using var stockLoad = HttpLoad.Open(stock.Port, scenario);
        using var ourLoad = HttpLoad.Open(ours.Port, scenario);
        stock.RequireLoops(isOurs: false);
        ours.RequireLoops(isOurs: true);
        _ = stockLoad.Run(context.Lengths.HttpWarmUp, context.Cancellation);
        _ = ourLoad.Run(context.Lengths.HttpWarmUp, context.Cancellation);
        return context.Contest.Alternate(() => Cost(ours, ourLoad), () => Cost(stock, stockLoad));

        double Cost(HttpServerProcess server, HttpLoad load)
        {
            var start = server.Cpu.Read();
            var requests = load.Run(context.Lengths.HttpRun, context.Cancellation);
            return (server.Cpu.Read() - start) / NanosecondsPerMicrosecond / requests;
        }
    }

    private static HttpServerProcess Start(BenchContext context, string side) =>
        HttpServerProcess.Start(context.Launcher, side, context.Time, context.Cancellation);
}
