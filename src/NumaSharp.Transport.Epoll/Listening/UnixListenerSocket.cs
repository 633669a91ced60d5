using System.Net;
using System.Net.Sockets;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Makes the listening socket of a Unix end point (unix(7)): one, because the kernel spreads nothing over several.
/// </summary>
internal static class UnixListenerSocket
{
    /// <summary>Binds and listens.</summary>
    /// <param name="endPoint">A path, or an abstract name.</param>
    /// <param name="tuning">The socket's options.</param>
    /// <param name="file">The file that the path is now, to be deleted at the end; <see langword="null"/> for none.</param>
    /// <param name="bound">The address that was bound.</param>
    /// <exception cref="SocketException">
    /// Something has the name; also a file that nobody listens on. Or anything else.
    /// </exception>
    public static StreamSocket Listen(
        UnixDomainSocketEndPoint endPoint, SocketTuning tuning, out string? file, out EndPoint bound)
    {
        file = null;
        SocketFailure.ThrowIfFailed(StreamSocket.Create(AddressFamily.Unix, out var socket), $"socket for {endPoint}");
        try
        {
            tuning.ApplyToListening(socket!, AddressFamily.Unix);

            // Made absolute before anybody changes the current directory.
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

    /// <summary>Deletes the file of a socket that was closed, as .NET's sockets do.</summary>
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
            // The end of a listener cannot fail over this. Whoever binds the path next is told that it is in use.
        }
    }

    // An abstract name begins with a zero byte, after the address family.
    private static bool IsAbstract(UnixDomainSocketEndPoint endPoint)
    {
        var address = endPoint.Serialize();
        return address.Size > sizeof(ushort) && address[sizeof(ushort)] == 0;
    }
}
