using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Udp.Tests.RealClients;

/// <summary>
/// Passes connections and datagrams on to a server of this machine, and its answers back to the last sender: the datagrams with
/// our sockets.
/// </summary>
internal sealed class Relay : IAsyncDisposable
{
    private readonly UdpMachine _machine = new();
    private readonly TcpListener _listener;
    private readonly IPEndPoint _server;
    private readonly Task[] _work;
    private byte[] _client = [];

    public Relay(IPEndPoint server)
    {
        _server = server;
        (_listener, Front) = Listen();
        Back = _machine.Factory.Connect(server, new NumaUdpOptions { Shards = 1, Gro = false, ReceiveBufferSize = 4 << 20 });
        _work = [AcceptAsync(), PassOnAsync(Front.Shards[0], Back.Shards[0]), PassOnAsync(Back.Shards[0], Front.Shards[0])];
    }

    /// <summary>Where clients send to.</summary>
    public NumaUdpSocket Front { get; }

    /// <summary>What the server sends to.</summary>
    public NumaUdpSocket Back { get; }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await Front.DisposeAsync();
        await Back.DisposeAsync();
        await Task.WhenAll(_work).Within();
        _machine.Dispose();
    }

    // A batch holds as many as are received at once, but not what the kernel has joined.
    private static void Configure(NumaUdpOptions options) =>
        (options.Shards, options.Gro, options.ReceiveBufferSize) = (1, false, 4 << 20);

    // Clients send both to one number.
    private (TcpListener Connections, NumaUdpSocket Datagrams) Listen()
    {
        while (true)
        {
            var listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            try
            {
                return (listener, _machine.Bind(Configure, (IPEndPoint)listener.LocalEndpoint));
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                // Another socket has the number for datagrams.
                listener.Stop();
            }
        }
    }

    private async Task AcceptAsync()
    {
        var connections = new List<Task>();
        try
        {
            while (true)
            {
                connections.Add(PassOnAsync(await _listener.AcceptTcpClientAsync()));
            }
        }
        catch (SocketException)
        {
            // It has been stopped.
            await Task.WhenAll(connections);
        }
    }

    private async Task PassOnAsync(TcpClient client)
    {
        using var server = new TcpClient();
        using (client)
        {
            await server.ConnectAsync(_server);
            await Task.WhenAll(PassOnAsync(client, server), PassOnAsync(server, client));
        }
    }

    private static async Task PassOnAsync(TcpClient from, TcpClient to)
    {
        try
        {
            await from.GetStream().CopyToAsync(to.GetStream());
            to.Client.Shutdown(SocketShutdown.Send);
        }
        catch (Exception exception) when (exception is IOException or SocketException)
        {
            // Either has been closed while there was something to pass on.
            from.Close();
            to.Close();
        }
    }

    private async Task PassOnAsync(NumaUdpShard from, NumaUdpShard to)
    {
        using var received = from.CreateBatch();
        using var sent = to.CreateBatch();
        while (await from.ReceiveAsync(received) > 0)
        {
            Refill(sent, received, isBack: to == Front.Shards[0]);
            await to.SendAsync(sent);
        }
    }

    private void Refill(NumaDatagramBatch sent, NumaDatagramBatch received, bool isBack)
    {
        sent.Clear();
        foreach (var datagram in received)
        {
            if (!isBack)
            {
                Volatile.Write(ref _client, datagram.RemoteAddress.ToArray());
            }

            Assert.True(sent.TryAdd(isBack ? Volatile.Read(ref _client) : [], datagram.Payload));
        }
    }
}
