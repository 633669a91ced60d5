using System.Net;
using System.Net.Sockets;
using NumaSharp.Interop;
using NumaSharp.Sockets;
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
    /// <exception cref="SocketException">
    /// Somebody, also a second copy of this process, has the port; where it is shared, somebody who does not share. Or anything
    /// else.
    /// </exception>
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
                bound = i > 0 || isShared
                    ? PortBinding.BindShared(socket, bound)
                    : PortBinding.BindFirst(socket, bound, isGroup: count > 1);
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
    /// <exception cref="SocketException">Somebody has the port by now, or anything else.</exception>
    public static StreamSocket Reopen(IPEndPoint bound, bool isShared, SocketTuning tuning)
    {
        var socket = Create(bound);
        try
        {
            tuning.ApplyToListening(socket, bound.AddressFamily);
            _ = isShared ? PortBinding.BindShared(socket, bound) : PortBinding.BindFirst(socket, bound, isGroup: false);
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
            Check(socket!.SetOption(SocketCalls.SOL_SOCKET, SocketCalls.SO_REUSEADDR, 1), "SO_REUSEADDR", endPoint);
            PortBinding.SetDualMode(socket, endPoint);
            return socket;
        }
        catch
        {
            socket!.Dispose();
            throw;
        }
    }

    private static void Check(SysResult result, string operation, IPEndPoint endPoint) =>
        SocketFailure.ThrowIfFailed(result, $"{operation} for {endPoint}");
}
