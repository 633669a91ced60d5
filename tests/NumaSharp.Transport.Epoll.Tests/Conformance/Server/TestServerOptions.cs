using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

public sealed record TestServerOptions
{
    /// <summary>The port of the HTTP/1.1 endpoint; 0 for any.</summary>
    public int Port { get; init; }

    public Action<KestrelServerOptions>? Configure { get; init; }

    /// <summary>How long a stop waits for requests before it aborts them.</summary>
    public TimeSpan ShutdownTimeout { get; init; } = Deadline.Limit;
}
