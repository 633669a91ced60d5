using System.CommandLine;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>The hidden command by which the harness runs its open-loop client as a process of its own, pinned like wrk.</summary>
internal static class OpenLoopCommand
{
    private const string Name = "open-loop-load";

    // A busy machine delays the client on both sides alike; a client that is late most of the time measures itself.
    private const double TolerableLateShare = 0.5;

    // The client starts cold and compiles itself; the requests of this time count for the server's CPU only.
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(300);

    /// <summary>What a run takes beyond its length.</summary>
    public static TimeSpan StartAndWarmUp => s_warmUp + LoadCommand.Start;

    public static IReadOnlyList<string> Arguments(int port, int connections, int requestsPerSecond, TimeSpan length) =>
        LoadCommand.Line(Name, port, connections, requestsPerSecond, (int)length.TotalMilliseconds);

    public static Command Create(TextWriter output)
    {
        var port = new Argument<int>("port");
        var connections = new Argument<int>("connections");
        var rate = new Argument<int>("requests-per-second");
        var milliseconds = new Argument<int>("milliseconds");
        return LoadCommand.Create(Name, "Open-loop HTTP load.", [port, connections, rate, milliseconds], output, parsed =>
        {
            using var client = new OpenLoopClient(parsed.GetValue(port), parsed.GetValue(connections), TolerableLateShare);
            return client.Run(s_warmUp, TimeSpan.FromMilliseconds(parsed.GetValue(milliseconds)), parsed.GetValue(rate));
        });
    }
}
