using System.Net;
using System.Net.Sockets;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

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
