using System.CommandLine;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>The hidden command by which the harness runs its WebSocket client as a process of its own, pinned like wrk.</summary>
internal static class WebSocketLoadCommand
{
    private const string Name = "websocket-load";

    // The client starts cold and compiles itself; the requests of this time count for the server's CPU only.
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(500);

    /// <summary>What a run takes beyond its length.</summary>
    public static TimeSpan StartAndWarmUp => s_warmUp + LoadCommand.Start;

    public static IReadOnlyList<string> Arguments(int port, int connections, int payloadBytes, TimeSpan length) =>
        LoadCommand.Line(Name, port, connections, payloadBytes, (int)length.TotalMilliseconds);

    public static Command Create(TextWriter output)
    {
        var port = new Argument<int>("port");
        var connections = new Argument<int>("connections");
        var payloadBytes = new Argument<int>("bytes");
        var milliseconds = new Argument<int>("milliseconds");
        return LoadCommand.Create(Name, "WebSocket echo load.", [port, connections, payloadBytes, milliseconds], output, parsed =>
        {
            using var client = new WebSocketEchoClient(
                parsed.GetValue(port), parsed.GetValue(connections), parsed.GetValue(payloadBytes));
            return client.Run(s_warmUp, TimeSpan.FromMilliseconds(parsed.GetValue(milliseconds)));
        });
    }
}
