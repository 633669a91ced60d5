namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>The protocol of the clients.</summary>
/// <param name="Name">In the rows' names.</param>
/// <param name="Connect">A connection to a server, which is not open yet.</param>
/// <param name="TellsRefused">Whether a server can say that it has not looked at a request.</param>
internal sealed record StopProtocol(string Name, Func<ServerPorts, StopConnection> Connect, bool TellsRefused)
{
    public static IReadOnlyList<StopProtocol> All { get; } =
    [
        new("h1", static ports => new Http1StopConnection(ports.Http), TellsRefused: false),
        new("h2", static ports => new Http2StopConnection(ports.H2c), TellsRefused: true),
    ];
}
