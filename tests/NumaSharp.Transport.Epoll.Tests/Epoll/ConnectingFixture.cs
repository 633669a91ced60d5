using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Our transport the other way round: it connects, and a plain socket accepts.</summary>
public sealed class ConnectingFixture() : EpollFixture(EpollDispatchMode.Adaptive)
{
    internal override async Task<RawConnection> OpenAsync(TransportLimits limits, int? receiveBuffer)
    {
        var factory = CreateEpollFactory(OptionsOf(limits));
        var listening = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        if (receiveBuffer is { } bytes)
        {
            listening.ReceiveBufferSize = bytes;
        }

        listening.Bind(NewEndPoint());
        listening.Listen();
        var made = await factory.ConnectAsync(listening.LocalEndPoint!).Within("the connect");
        var accepted = await listening.AcceptAsync().Within("the accept");
        accepted.NoDelay = true;
        return new RawConnection(new PlainListener(listening, factory), made, new WireClient(accepted));
    }

    /// <summary>What the connection needs for as long as it is used.</summary>
    private sealed class PlainListener(Socket socket, EpollTransportFactory factory) : IConnectionListener
    {
        public EndPoint EndPoint => socket.LocalEndPoint!;

        public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => throw new NotSupportedException();

        public ValueTask DisposeAsync()
        {
            socket.Dispose();
            factory.Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
