using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// The listening sockets of an end point: one per shard where the kernel spreads connections, else a single one.
/// </summary>
/// <param name="EndPoint">The address that was bound.</param>
/// <param name="Sockets">The sockets; each is owned by the handler that accepts on it.</param>
/// <param name="File">The file to delete when they are closed.</param>
/// <param name="Reopen">Opens a replacement for a lost socket.</param>
internal sealed record ListenerBinding(
    EndPoint EndPoint, IReadOnlyList<StreamSocket> Sockets, string? File, Func<StreamSocket> Reopen)
{
    public static bool IsServed(EndPoint endPoint) => endPoint
        is IPEndPoint { AddressFamily: AddressFamily.InterNetwork or AddressFamily.InterNetworkV6 }
        or UnixDomainSocketEndPoint
        or FileHandleEndPoint;

    /// <summary>The end point's name in messages.</summary>
    public static string NameOf(EndPoint endPoint) =>
        endPoint is FileHandleEndPoint handle ? InheritedListenerSocket.NameOf(handle) : $"{endPoint}";

    public static ListenerBinding Create(EndPoint endPoint, int shards, SocketTuning tuning, bool isShared)
    {
        EndPoint bound;
        switch (endPoint)
        {
            case UnixDomainSocketEndPoint name:
                var unix = UnixListenerSocket.Listen(name, tuning, out var file, out bound);
                return new ListenerBinding(bound, [unix], file, () =>
                {
                    // The name is ours, and no socket listens on it any more.
                    UnixListenerSocket.Delete(file);
                    return UnixListenerSocket.Listen(name, tuning, out _, out _);
                });
            case FileHandleEndPoint handle:
                var inherited = InheritedListenerSocket.Open(handle, tuning, out bound);
                return new ListenerBinding(
                    bound, [inherited], File: null, () => InheritedListenerSocket.Open(handle, tuning, out _));
            default:
                var sockets = ListenerSockets.Listen((IPEndPoint)endPoint, shards, tuning, isShared, out var address);
                return new ListenerBinding(
                    address, sockets, File: null, () => ListenerSockets.Reopen(address, shards > 1 || isShared, tuning));
        }
    }

    /// <summary>Deletes the file left by the closed sockets.</summary>
    public void DeleteFile() => UnixListenerSocket.Delete(File);
}
