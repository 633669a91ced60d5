using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>
/// How many datagrams of one size wait in a socket. A send on loopback may return before the datagram is there, see
/// <see cref="SocketTable"/>.
/// </summary>
public sealed class ReceiveQueue
{
    private readonly IPEndPoint _socket;
    private readonly long _bytesOfOne;

    /// <param name="socket">The socket's address.</param>
    /// <param name="size">The size of the datagrams.</param>
    public ReceiveQueue(IPEndPoint socket, int size)
    {
        _socket = socket;

        // What one costs, headers and all, is the kernel's business: another socket is sent one. It is connected, so that it gets
        // nothing from clients of the former owner of its port.
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.Connect(probe.LocalEndPoint!);
        probe.Connect(client.LocalEndPoint!);
        client.Send(new byte[size]);
        var bytes = 0L;
        Wait.Until(() => (bytes = SocketTable.DatagramBytes((IPEndPoint)probe.LocalEndPoint!)) > 0);
        _bytesOfOne = bytes;
    }

    public long Count => SocketTable.DatagramBytes(_socket) / _bytesOfOne;

    /// <summary>Waits until so many are there.</summary>
    public void WaitFor(int count) =>
        Wait.Until(
            () => Count >= count,
            () => $"{Count} of {_bytesOfOne} bytes each; {SocketTable.DatagramsDropped(_socket)} dropped by the socket, "
                + $"{SocketTable.PacketsDropped()} by the CPUs' backlogs since boot",
            $"{count} datagrams are queued");
}
