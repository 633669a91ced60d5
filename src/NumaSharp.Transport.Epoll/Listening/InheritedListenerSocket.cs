using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Serves a socket opened by another program, such as systemd (sd_listen_fds(3)), through a duplicate descriptor. The given one
/// stays open and belongs to its owner, as with Kestrel's sockets.
/// </summary>
internal static class InheritedListenerSocket
{
    private static readonly IPEndPoint s_anyIPv4 = new(IPAddress.Any, 0);
    private static readonly IPEndPoint s_anyIPv6 = new(IPAddress.IPv6Any, 0);
    private static readonly UnixDomainSocketEndPoint s_anyUnix = new("/");

    /// <summary>Adopts the socket. Its kind is read from the descriptor; the end point's type is not needed.</summary>
    /// <param name="endPoint">The descriptor.</param>
    /// <param name="tuning">The socket's options.</param>
    /// <param name="bound">The address it listens on.</param>
    /// <exception cref="SocketException">Not a stream socket of TCP or Unix that can listen.</exception>
    public static StreamSocket Open(FileHandleEndPoint endPoint, SocketTuning tuning, out EndPoint bound)
    {
        var descriptor = Check(endPoint.FileHandle, out var family);
        var what = NameOf(endPoint);
        SocketFailure.ThrowIfFailed(StreamSocket.Duplicate(descriptor, out var socket), $"fcntl for {what}");
        try
        {
            tuning.ApplyToListening(socket!, family.AddressFamily);

            // If the socket already listens, this only changes its queue length; one that is only bound starts listening here.
            SocketFailure.ThrowIfFailed(socket!.Listen(tuning.Backlog), $"listen for {what}");
            SocketFailure.ThrowIfFailed(socket.GetLocalEndPoint(family, out var local), $"getsockname for {what}");
            bound = local!;
            return socket;
        }
        catch
        {
            socket!.Dispose();
            throw;
        }
    }

    public static string NameOf(FileHandleEndPoint endPoint) =>
        string.Create(CultureInfo.InvariantCulture, $"file descriptor {endPoint.FileHandle}");

    private static int Check(ulong handle, out EndPoint family)
    {
        if (handle > int.MaxValue)
        {
            throw Refusal(SocketError.NotSocket, handle, "it is not a descriptor number");
        }

        var descriptor = (int)handle;
        var type = Read(StreamCalls.SO_TYPE, "SO_TYPE");
        if (type != SocketCalls.SOCK_STREAM)
        {
            throw Refusal(
                SocketError.OperationNotSupported, handle,
                string.Create(CultureInfo.InvariantCulture, $"it is not a stream socket (SO_TYPE is {type}, SOCK_STREAM is 1)"));
        }

        var domain = Read(StreamCalls.SO_DOMAIN, "SO_DOMAIN");
        family = domain switch
        {
            SocketCalls.AF_INET => s_anyIPv4,
            SocketCalls.AF_INET6 => s_anyIPv6,
            SocketCalls.AF_UNIX => s_anyUnix,
            _ => throw Refusal(
                SocketError.AddressFamilyNotSupported, handle,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"its address family (SO_DOMAIN) is {domain}, not AF_INET (2), AF_INET6 (10) or AF_UNIX (1)")),
        };
        return descriptor;

        int Read(int option, string name)
        {
            var result = StreamSocket.GetOption(descriptor, SocketCalls.SOL_SOCKET, option, out var value);
            return result.Errno switch
            {
                _ when result.Succeeded => value,
                Errno.EBADF => throw Refusal(SocketError.NotSocket, handle, "it is not open (EBADF)"),
                Errno.ENOTSOCK => throw Refusal(SocketError.NotSocket, handle, "it is not a socket (ENOTSOCK)"),
                _ => throw SocketFailure.ToException(result, $"reading {name} of file descriptor {descriptor}"),
            };
        }
    }

    private static SocketException Refusal(SocketError error, ulong handle, string reason) => new(
        (int)error, string.Create(CultureInfo.InvariantCulture, $"File descriptor {handle} cannot be served: {reason}."));
}
