using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>
/// A port of the loopback interface that this socket keeps bound, for programs that must be given a number: a number that was
/// freed may belong to another process by the time it is used. A program that listens on it must be given the socket, share the
/// port (SO_REUSEPORT), or bind it with SO_REUSEADDR, see <see cref="ForServers"/>.
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

    /// <summary>
    /// For servers that are given the number, one after another. On Linux, the port of a socket that does not listen may be bound
    /// once more if both sockets have SO_REUSEADDR: the BCL sets it for TCP, and servers set it to be able to restart. While no
    /// server listens, connections are refused, and the kernel chooses the number for no other socket. Skips the test on other
    /// systems.
    /// </summary>
    public static BoundPort ForServers()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere a port cannot be kept for the server that comes back.");
        return new BoundPort();
    }

    /// <summary>Bound, and not listening.</summary>
    public Socket Socket => _socket;

    public IPEndPoint EndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public int Number => EndPoint.Port;

    public void Dispose() => _socket.Dispose();
}
