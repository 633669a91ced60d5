using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>Makes the listening sockets of an end point, one per shard (SO_REUSEPORT, socket(7)).</summary>
internal static class ListenerSockets
{
    /// <summary>Binds and listens. All sockets or none.</summary>
    /// <param name="endPoint">Where; port 0 lets the kernel choose one port for all.</param>
    /// <param name="count">How many sockets.</param>
    /// <param name="tuning">The options of each.</param>
    /// <param name="isShared">Whether other processes that share may have the port, too.</param>
    /// <param name="bound">The address with the port that was bound.</param>
    /// <exception cref="AddressInUseException">
    /// Somebody, also a second copy of this process, has the port; where it is shared, somebody who does not share.
    /// </exception>
    /// <exception cref="SocketException">Anything else.</exception>
    public static StreamSocket[] Listen(IPEndPoint endPoint, int count, SocketTuning tuning, bool isShared, out IPEndPoint bound)
    {
        var sockets = new List<StreamSocket>(count);
        try
        {
            bound = endPoint;
            for (var i = 0; i < count; i++)
            {
                var socket = Create(endPoint);
                sockets.Add(socket);
                tuning.ApplyToListening(socket, endPoint.AddressFamily);
                bound = i > 0 || isShared ? BindShared(socket, bound) : BindFirst(socket, bound, isGroup: count > 1);
            }

            foreach (var socket in sockets)
            {
                Check(socket.Listen(tuning.Backlog), "listen", endPoint);
            }

            return [.. sockets];
        }
        catch
        {
            sockets.ForEach(static socket => socket.Dispose());
            throw;
        }
    }

    /// <summary>Makes one socket in the place of one that was lost.</summary>
    /// <param name="bound">The address that the others have.</param>
    /// <param name="isShared">Whether there are others.</param>
    /// <param name="tuning">The options of it.</param>
    /// <exception cref="AddressInUseException">Somebody has the port by now.</exception>
    /// <exception cref="SocketException">Anything else.</exception>
    public static StreamSocket Reopen(IPEndPoint bound, bool isShared, SocketTuning tuning)
    {
        var socket = Create(bound);
        try
        {
            tuning.ApplyToListening(socket, bound.AddressFamily);
            _ = isShared ? BindShared(socket, bound) : BindFirst(socket, bound, isGroup: false);
            Check(socket.Listen(tuning.Backlog), "listen", bound);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private static StreamSocket Create(IPEndPoint endPoint)
    {
        Check(StreamSocket.Create(endPoint.AddressFamily, out var socket), "socket", endPoint);
        try
        {
            Prepare(socket!, endPoint);
            return socket!;
        }
        catch
        {
            socket!.Dispose();
            throw;
        }
    }

    private static void Prepare(StreamSocket socket, IPEndPoint endPoint)
    {
        Check(socket.SetOption(Native.SOL_SOCKET, Native.SO_REUSEADDR, 1), "SO_REUSEADDR", endPoint);
        if (endPoint.AddressFamily == AddressFamily.InterNetworkV6)
        {
            // As Kestrel has it: any IPv6 address means any IPv4 address too; every other one is IPv6 alone.
            var isDualMode = endPoint.Address.Equals(IPAddress.IPv6Any);
            Check(socket.SetOption(Native.IPPROTO_IPV6, Native.IPV6_V6ONLY, isDualMode ? 0 : 1), "IPV6_V6ONLY", endPoint);
        }
    }

    // Without SO_REUSEPORT the bind succeeds only when nobody has the port, so that two applications never share one by
    // accident. The option is set afterwards: the kernel looks at it when the next socket binds.
    private static IPEndPoint BindFirst(StreamSocket socket, IPEndPoint endPoint, bool isGroup)
    {
        Check(socket.Bind(endPoint), "bind", endPoint);
        if (isGroup)
        {
            Check(socket.SetOption(Native.SOL_SOCKET, Native.SO_REUSEPORT, 1), "SO_REUSEPORT", endPoint);
        }

        return BoundEndPoint(socket, endPoint);
    }

    private static IPEndPoint BindShared(StreamSocket socket, IPEndPoint endPoint)
    {
        Check(socket.SetOption(Native.SOL_SOCKET, Native.SO_REUSEPORT, 1), "SO_REUSEPORT", endPoint);
        Check(socket.Bind(endPoint), "bind", endPoint);
        return BoundEndPoint(socket, endPoint);
    }

    private static IPEndPoint BoundEndPoint(StreamSocket socket, IPEndPoint endPoint)
    {
        Check(socket.GetLocalEndPoint(endPoint, out var bound), "getsockname", endPoint);
        return (IPEndPoint)bound!;
    }

    private static void Check(SysResult result, string operation, IPEndPoint endPoint) =>
        SocketFailure.ThrowIfFailed(result, $"{operation} for {endPoint}");
}
