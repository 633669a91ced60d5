using System.Net;
using System.Net.Sockets;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>Opens the listening sockets of an end point, one per shard (SO_REUSEPORT, socket(7)).</summary>
internal static class ListenerSockets
{
    /// <summary>Binds and listens: all sockets or none.</summary>
    /// <param name="endPoint">The address; with port 0 the kernel chooses one port for all.</param>
    /// <param name="count">The number of sockets.</param>
    /// <param name="tuning">The options of each.</param>
    /// <param name="isShared">Whether other processes that share may also use the port.</param>
    /// <param name="bound">The address with the port that was bound.</param>
    /// <exception cref="SocketException">
    /// The port is in use, possibly by a second copy of this process; if shared, by a process that does not share. Or any other
    /// failure.
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

    /// <summary>Opens one socket to replace a lost one.</summary>
    /// <param name="bound">The address of the others.</param>
    /// <param name="isShared">Whether there are others.</param>
    /// <param name="tuning">Its options.</param>
    /// <exception cref="SocketException">The port has been taken, or any other failure.</exception>
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
