using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Sockets;

/// <summary>Binds the sockets of one port, which may be several (SO_REUSEPORT, socket(7)).</summary>
internal static class PortBinding
{
    /// <summary>Whether a socket bound to it has all addresses of the machine, as IPv4 or IPv6 or as IPv4 in IPv6.</summary>
    public static bool IsWildcard(IPAddress address)
    {
        var plain = address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        return plain.Equals(IPAddress.Any) || plain.Equals(IPAddress.IPv6Any);
    }

    /// <summary>Sets IPV6_V6ONLY, before binding.</summary>
    /// <exception cref="SocketException">The kernel refuses.</exception>
    public static void SetDualMode(SocketHandle socket, IPEndPoint endPoint)
    {
        if (endPoint.AddressFamily == AddressFamily.InterNetworkV6)
        {
            // As in Kestrel: the IPv6 any address includes IPv4; every other one is IPv6 only.
            var isDualMode = endPoint.Address.Equals(IPAddress.IPv6Any);
            SocketFailure.ThrowIfFailed(
                socket.SetOption(SocketCalls.IPPROTO_IPV6, SocketCalls.IPV6_V6ONLY, isDualMode ? 0 : 1),
                $"IPV6_V6ONLY for {endPoint}");
        }
    }

    /// <summary>
    /// Binds a socket to a port that is not in use. For a group, SO_REUSEPORT is set after the bind: the kernel checks it when
    /// the next socket binds, and this one cannot join another's port by accident.
    /// </summary>
    /// <returns>The address with the port that was bound.</returns>
    /// <exception cref="SocketException">The port is in use, or another error.</exception>
    public static IPEndPoint BindFirst(SocketHandle socket, IPEndPoint endPoint, bool isGroup)
    {
        SocketFailure.ThrowIfFailed(socket.Bind(endPoint), $"bind for {endPoint}");
        if (isGroup)
        {
            SetShared(socket, endPoint);
        }

        return BoundEndPoint(socket, endPoint);
    }

    /// <summary>Binds a socket to a port that sockets of the same user may share.</summary>
    /// <returns>The address with the port that was bound.</returns>
    /// <exception cref="SocketException">A socket that does not share it has the port, or another error.</exception>
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
