using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

public sealed record TestServerOptions
{
    /// <summary>The HTTP/1.1 endpoint; null for one of the fixture's choice.</summary>
    public EndPoint? EndPoint { get; init; }

    /// <summary>Where the endpoints go that a test does not name.</summary>
    public Func<EndPoint> NewEndPoint { get; init; } = static () => new IPEndPoint(IPAddress.Loopback, 0);

    public Action<KestrelServerOptions>? Configure { get; init; }

    /// <summary>How long a stop waits for requests before it aborts them.</summary>
    public TimeSpan ShutdownTimeout { get; init; } = Wait.Limit;
}
