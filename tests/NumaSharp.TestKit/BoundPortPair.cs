using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>
/// One number for connections and for datagrams, which its sockets keep bound, for a program that binds both with SO_REUSEADDR
/// (Linux). The program gets all that is sent there.
/// </summary>
public sealed class BoundPortPair : IDisposable
{
    private const int SolSocket = 1;
    private const int SoReuseAddress = 2;

    private readonly BoundPort _connections;
    private readonly Socket _datagrams;

    public BoundPortPair()
    {
        while (true)
        {
            _connections = BoundPort.ForServers();
            if (TryBind(_connections.EndPoint) is { } datagrams)
            {
                _datagrams = datagrams;
                return;
            }

            _connections.Dispose();
        }
    }

    public IPEndPoint EndPoint => _connections.EndPoint;

    public void Dispose()
    {
        _datagrams.Dispose();
        _connections.Dispose();
    }

    /// <summary>
    /// Sets SO_REUSEADDR as such a program does. The BCL's option also shares the datagrams (SO_REUSEPORT).
    /// </summary>
    public static void ReuseAddress(Socket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        socket.SetRawSocketOption(SolSocket, SoReuseAddress, BitConverter.GetBytes(1));
    }

    /// <returns>Null if another socket has the number.</returns>
    private static Socket? TryBind(IPEndPoint endPoint)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            ReuseAddress(socket);
            socket.Bind(endPoint);

            // A connected socket receives from its peer only, and this peer is itself.
            socket.Connect(endPoint);
            return socket;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            socket.Dispose();
            return null;
        }
    }
}
