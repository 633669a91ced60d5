using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>What .NET has had since 8.0: receiving into a <see cref="SocketAddress"/>, and sending to one.</summary>
internal sealed class AddressEngine(IPAddress address) : SocketEngine(address)
{
    private SocketAddress? _target;

    protected override async Task RunAsync(bool isEcho)
    {
        var buffer = GC.AllocateArray<byte>(LargestDatagram, pinned: true);
        var address = new SocketAddress(AddressFamily.InterNetwork);
        while (true)
        {
            var length = await Socket.ReceiveFromAsync(buffer, SocketFlags.None, address);
            if (isEcho)
            {
                await Socket.SendToAsync(buffer.AsMemory(0, length), SocketFlags.None, address);
            }

            Count();
        }
    }

    protected override async ValueTask SendOneAsync(IPEndPoint target, byte[] payload)
    {
        _target ??= target.Serialize();
        await Socket.SendToAsync(payload, SocketFlags.None, _target);
    }
}
