using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Sockets;

/// <summary>Binds the sockets of one port, which may be several (SO_REUSEPORT, socket(7)).</summary>
internal static class PortBinding
{
    /// <summary>Before binding.</summary>
    /// <exception cref="SocketException">The kernel refuses.</exception>
    public static void SetDualMode(SocketHandle socket, IPEndPoint endPoint)
    {
        if (endPoint.AddressFamily == AddressFamily.InterNetworkV6)
        {
            // As Kestrel has it: any IPv6 address means any IPv4 address too; every other one is IPv6 alone.
            var isDualMode = endPoint.Address.Equals(IPAddress.IPv6Any);
            SocketFailure.ThrowIfFailed(
                socket.SetOption(SocketCalls.IPPROTO_IPV6, SocketCalls.IPV6_V6ONLY, isDualMode ? 0 : 1),
                $"IPV6_V6ONLY for {endPoint}");
        }
    }

    /// <summary>
    /// Binds a socket whose port nobody has. Others may join it afterwards when it is the first of a group: the kernel looks at
    /// the option when the next one binds. Without it a port is never shared by accident.
    /// </summary>
    /// <returns>The address with the port that was bound.</returns>
    /// <exception cref="SocketException">The port is taken, or anything else.</exception>
    public static IPEndPoint BindFirst(SocketHandle socket, IPEndPoint endPoint, bool isGroup)
    {
        SocketFailure.ThrowIfFailed(socket.Bind(endPoint), $"bind for {endPoint}");
        if (isGroup)
        {
            SetShared(socket, endPoint);
        }

        return BoundEndPoint(socket, endPoint);
    }

    /// <summary>Binds a socket to a port that others of this user may have, too, if they share it.</summary>
    /// <returns>The address with the port that was bound.</returns>
    /// <exception cref="SocketException">Somebody has the port who does not share it, or anything else.</exception>
    public static IPEndPoint BindShared(SocketHandle socket, IPEndPoint endPoint)
    {
        SetShared(socket, endPoint);
        SocketFailure.ThrowIfFailed(socket.Bind(endPoint), $"bind for {endPoint}");
        return BoundEndPoint(socket, endPoint);
    }

    private static void SetShared(SocketHandle socket, IPEndPoint endPoint) =>
        SocketFailure.ThrowIfFailed(
            socket.SetOption(SocketCalls.SOL_SOCKET, SocketCalls.SO_REUSEPORT, 1), $"SO_REUSEPORT for {endPoint}");

    private static IPEndPoint BoundEndPoint(SocketHandle socket, IPEndPoint endPoint)
    {
        SocketFailure.ThrowIfFailed(socket.GetLocalEndPoint(endPoint, out var bound), $"getsockname for {endPoint}");
        return (IPEndPoint)bound!;
    }
}
