using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>
/// A port of the loopback interface that this socket keeps bound, for programs that must be given a number: a number that was
/// freed may belong to another process by the time it is used. A program that listens on it must be given the socket or
/// share the port (SO_REUSEPORT).
/// </summary>
public sealed class BoundPort : IDisposable
{
    private const int SolSocket = 1;
    private const int SoReusePort = 15;

    private readonly Socket _socket;

    /// <param name="protocol">TCP or UDP.</param>
    /// <param name="isShared">
    /// Whether programs that share it (SO_REUSEPORT, Linux) may listen on it one after another while this keeps it.
    /// </param>
    public BoundPort(ProtocolType protocol = ProtocolType.Tcp, bool isShared = false)
    {
        _socket = new Socket(
            AddressFamily.InterNetwork, protocol == ProtocolType.Udp ? SocketType.Dgram : SocketType.Stream, protocol);
        if (isShared)
        {
            _socket.SetRawSocketOption(SolSocket, SoReusePort, BitConverter.GetBytes(1));
        }

        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
    }

    /// <summary>Bound, and not listening.</summary>
    public Socket Socket => _socket;

    public IPEndPoint EndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public int Number => EndPoint.Port;

    public void Dispose() => _socket.Dispose();
}
