using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Sockets;

/// <summary>The oracle: what Kestrel's own transport does is what ours has to do.</summary>
public class SocketsFixture : TransportFixture
{
    public override void Configure(IWebHostBuilder host, TransportLimits limits) =>
        host.UseSockets(options => Apply(limits, options));

    public override bool HasNoDelay(ConnectionContext connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return connection.Features.Get<IConnectionSocketFeature>()!.Socket.NoDelay;
    }

    public override IConnectionListenerFactory CreateFactory(TransportLimits limits)
    {
        var options = new SocketTransportOptions();
        Apply(limits, options);
        return new SocketTransportFactory(Options.Create(options), NullLoggerFactory.Instance);
    }

    private static void Apply(TransportLimits limits, SocketTransportOptions options)
    {
        options.MaxReadBufferSize = limits.MaxReadBufferSize;
        options.MaxWriteBufferSize = limits.MaxWriteBufferSize;
        if (limits.KernelBuffers is { } bytes)
        {
            // Those that TCP accepts inherit them.
            options.CreateBoundListenSocket = endPoint =>
            {
                var socket = SocketTransportOptions.CreateDefaultBoundListenSocket(endPoint);
                (socket.ReceiveBufferSize, socket.SendBufferSize) = (bytes, bytes);
                return socket;
            };
        }
    }
}
