using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Sockets;

/// <summary>The oracle: what Kestrel's own transport does is what ours has to do.</summary>
public class SocketsFixture : TransportFixture
{
    public override bool HasEndPointFeature => false;

    public override void Configure(IWebHostBuilder host) => host.UseSockets();

    public override IConnectionListenerFactory CreateFactory(TransportLimits limits)
    {
        ArgumentNullException.ThrowIfNull(limits);
        var options = new SocketTransportOptions
        {
            MaxReadBufferSize = limits.MaxReadBufferSize,
            MaxWriteBufferSize = limits.MaxWriteBufferSize,
        };
        return new SocketTransportFactory(Options.Create(options), NullLoggerFactory.Instance);
    }
}
