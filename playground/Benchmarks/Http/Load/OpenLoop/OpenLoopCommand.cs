using System.CommandLine;
using System.Globalization;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>The hidden command by which the harness runs its open-loop client as a process of its own, pinned like wrk.</summary>
internal static class OpenLoopCommand
{
    private const string Name = "open-loop-load";

    // What a busy machine takes from the client lies on both sides; a client that is behind most of the time measures itself.
    private const double TolerableLateShare = 0.5;

    // The client starts cold and compiles itself; the requests of this time count for the server's CPU only.
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(300);

    /// <summary>What a run takes beyond its length.</summary>
    public static TimeSpan StartAndWarmUp => s_warmUp + TimeSpan.FromMilliseconds(300);

    public static IReadOnlyList<string> Arguments(int port, int connections, int requestsPerSecond, TimeSpan length) =>
        [Name, Text(port), Text(connections), Text(requestsPerSecond), Text((int)length.TotalMilliseconds)];

    public static Command Create(TextWriter output)
    {
        var port = new Argument<int>("port");
        var connections = new Argument<int>("connections");
        var rate = new Argument<int>("requests-per-second");
        var milliseconds = new Argument<int>("milliseconds");
        var command = new Command(Name, "Open-loop HTTP load.") { port, connections, rate, milliseconds };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            try
            {
                using var client = new OpenLoopClient(parsed.GetValue(port), parsed.GetValue(connections), TolerableLateShare);
                output.WriteLine(client.Run(
                    s_warmUp, TimeSpan.FromMilliseconds(parsed.GetValue(milliseconds)), parsed.GetValue(rate)));
                return ExitCodes.Completed;
            }
            catch (Exception failure) when (failure is BenchmarkException or SocketException)
            {
                Console.Error.WriteLine(failure.Message);
                return ExitCodes.Failed;
            }
        });
        return command;
    }

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);
}
