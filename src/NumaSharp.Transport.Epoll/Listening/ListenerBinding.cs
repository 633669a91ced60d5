using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// The listening sockets of an end point: one per shard where the kernel spreads connections, otherwise a single one.
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
                    bound, [inherited], File: null, () => InheritedListenerSocket.Reopen(handle, bound.AddressFamily, tuning));
            default:
                var sockets = ListenerSockets.Listen((IPEndPoint)endPoint, shards, tuning, isShared, out var address);

                // Applications see the listener's end point, which has setters: a lost socket comes back where it was.
                var copy = new IPEndPoint(address.Address, address.Port);
                return new ListenerBinding(
                    address, sockets, File: null, () => ListenerSockets.Reopen(copy, shards > 1 || isShared, tuning));
        }
    }

    /// <summary>Deletes the file left by the closed sockets.</summary>
    public void DeleteFile() => UnixListenerSocket.Delete(File);
}

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

/// <summary>
/// Opens the listening socket of a Unix end point (unix(7)): a single one, because the kernel cannot spread connections.
/// </summary>
internal static class UnixListenerSocket
{
    /// <summary>Binds and listens.</summary>
    /// <param name="endPoint">A path, or an abstract name.</param>
    /// <param name="tuning">The socket's options.</param>
    /// <param name="file">The file that was created, to be deleted at the end; <see langword="null"/> for none.</param>
    /// <param name="bound">The address that was bound.</param>
    /// <exception cref="SocketException">
    /// The name is in use, possibly by a file without a listener. Or any other failure.
    /// </exception>
    public static StreamSocket Listen(
        UnixDomainSocketEndPoint endPoint, SocketTuning tuning, out string? file, out EndPoint bound)
    {
        file = null;
        SocketFailure.ThrowIfFailed(StreamSocket.Create(AddressFamily.Unix, out var socket), $"socket for {endPoint}");
        try
        {
            tuning.ApplyToListening(socket!, AddressFamily.Unix);

            // Made absolute before the current directory can change.
            var path = IsAbstract(endPoint) ? null : Path.GetFullPath(endPoint.ToString());
            SocketFailure.ThrowIfFailed(socket!.Bind(endPoint), $"bind for {endPoint}");
            file = path;
            SocketFailure.ThrowIfFailed(socket.GetLocalEndPoint(endPoint, out var local), $"getsockname for {endPoint}");
            SocketFailure.ThrowIfFailed(socket.Listen(tuning.Backlog), $"listen for {endPoint}");
            bound = local!;
            return socket;
        }
        catch
        {
            socket!.Dispose();
            Delete(file);
            throw;
        }
    }

    /// <summary>Deletes the file of a closed socket, as .NET's sockets do.</summary>
    public static void Delete(string? file)
    {
        if (file is null)
        {
            return;
        }

        try
        {
            File.Delete(file);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Closing a listener must not fail over this. The next bind to the path reports it as in use.
        }
    }

    // An abstract name starts with a zero byte, after the address family.
    private static bool IsAbstract(UnixDomainSocketEndPoint endPoint)
    {
        var address = endPoint.Serialize();
        return address.Size > sizeof(ushort) && address[sizeof(ushort)] == 0;
    }
}

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

    /// <summary>Adopts the socket that has the descriptor's number now.</summary>
    /// <param name="endPoint">The descriptor.</param>
    /// <param name="family">The address family that it had: addresses are decoded as of that one.</param>
    /// <param name="tuning">The socket's options.</param>
    /// <exception cref="SocketException">As of <see cref="Open"/>, or its address family is another.</exception>
    public static StreamSocket Reopen(FileHandleEndPoint endPoint, AddressFamily family, SocketTuning tuning)
    {
        var socket = Open(endPoint, tuning, out var bound);
        if (bound.AddressFamily == family)
        {
            return socket;
        }

        socket.Dispose();
        throw Refusal(
            SocketError.AddressFamilyNotSupported,
            endPoint.FileHandle,
            $"its address family was {family}, and is {bound.AddressFamily} now");
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
