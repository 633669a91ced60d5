using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>As in tutorials: a <see cref="UdpClient"/>.</summary>
internal sealed class NaiveEngine : SocketEngine
{
    private readonly UdpClient _client = new();

    public NaiveEngine(IPAddress address)
        : base(address)
    {
        _client.Client.Dispose();
        _client.Client = Socket;
    }

    protected override async Task RunAsync(bool isEcho)
    {
        while (true)
        {
            var received = await _client.ReceiveAsync();
            if (isEcho)
            {
                await _client.SendAsync(received.Buffer, received.RemoteEndPoint);
            }

            Count();
        }
    }

    protected override async ValueTask SendOneAsync(IPEndPoint target, byte[] payload) =>
        await _client.SendAsync(payload, target);
}
