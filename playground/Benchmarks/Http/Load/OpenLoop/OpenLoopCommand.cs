using System.CommandLine;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>
/// The hidden command by which the harness runs its open-loop client as a process of its own, pinned like wrk: it connects, says
/// so, and makes a run for each line of its input. Its connections stay open until the harness has read the server's CPU clock.
/// </summary>
internal static class OpenLoopCommand
{
    private const string Name = "open-loop-load";

    // A busy machine delays the client on both sides alike; a client that is late most of the time measures itself.
    private const double TolerableLateShare = 0.5;

    /// <summary>At the start of a run, as the client compiles itself then; it counts for the server's CPU only.</summary>
    public static readonly TimeSpan WarmUp = TimeSpan.FromMilliseconds(300);

    // A connection with its first request, one after the other.
    private static readonly TimeSpan s_connecting = TimeSpan.FromMicroseconds(200);

    /// <summary>What a run takes beyond its length.</summary>
    public static TimeSpan OverheadOf(int connections) => LoadCommand.Start + (connections * s_connecting) + WarmUp;

    /// <summary>How it is called.</summary>
    /// <param name="port">On 127.0.0.1.</param>
    /// <param name="connections">How many.</param>
    /// <param name="requestsPerSecond">On all of them.</param>
    /// <param name="length">Of the measured part of a run.</param>
    /// <param name="sleeps">Whether it shares its CPU.</param>
    public static IReadOnlyList<string> Arguments(
        int port, int connections, int requestsPerSecond, TimeSpan length, bool sleeps) =>
        LoadCommand.Line(Name, port, connections, requestsPerSecond, (int)length.TotalMilliseconds, sleeps ? 1 : 0);

    public static Command Create(TextWriter output)
    {
        var port = new Argument<int>("port");
        var connections = new Argument<int>("connections");
        var rate = new Argument<int>("requests-per-second");
        var milliseconds = new Argument<int>("milliseconds");
        var sleeps = new Argument<int>("sleeps");
        return LoadCommand.Create(Name, "Open-loop HTTP load.", [port, connections, rate, milliseconds, sleeps], output, Runs);

        IEnumerable<LoadReport> Runs(ParseResult parsed)
        {
            using var client = new OpenLoopClient(
                parsed.GetValue(port), parsed.GetValue(connections), parsed.GetValue(sleeps) != 0, TolerableLateShare);
            output.WriteLine(LoadCommand.Connected);
            output.Flush();
            while (Console.In.ReadLine() is not null)
            {
                yield return client.Run(
                    WarmUp, TimeSpan.FromMilliseconds(parsed.GetValue(milliseconds)), parsed.GetValue(rate));
            }
        }
    }
}
