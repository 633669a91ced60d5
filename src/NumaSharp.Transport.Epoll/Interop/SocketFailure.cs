using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>What a socket call that failed is to those who know .NET's sockets: the same codes.</summary>
internal static class SocketFailure
{
    /// <param name="result">Of the call.</param>
    /// <param name="what">Which call for what, such as "bind for 127.0.0.1:80".</param>
    /// <exception cref="AddressInUseException">The address is taken.</exception>
    /// <exception cref="SocketException">Anything else that failed.</exception>
    public static void ThrowIfFailed(SysResult result, string what)
    {
        if (result.Succeeded)
        {
            return;
        }

        var exception = ToException(result, what);
        throw result.Errno == Errno.EADDRINUSE ? new AddressInUseException(exception.Message, exception) : exception;
    }

    public static SocketException ToException(SysResult result, string what) =>
        new((int)ErrorOf(result.Errno), $"{what} failed: {result.ErrorName}.");

    private static SocketError ErrorOf(int errno) => errno switch
    {
        Errno.EACCES or Errno.EPERM => SocketError.AccessDenied,
        Errno.EADDRINUSE => SocketError.AddressAlreadyInUse,
        Errno.EADDRNOTAVAIL or Errno.ENOENT => SocketError.AddressNotAvailable,
        Errno.EAFNOSUPPORT => SocketError.AddressFamilyNotSupported,
        Errno.EAGAIN => SocketError.WouldBlock,
        Errno.EBADF or Errno.ENOTSOCK => SocketError.NotSocket,
        Errno.ECONNREFUSED => SocketError.ConnectionRefused,
        Errno.ECONNRESET => SocketError.ConnectionReset,
        Errno.EHOSTDOWN => SocketError.HostDown,
        Errno.EHOSTUNREACH => SocketError.HostUnreachable,
        Errno.EINVAL => SocketError.InvalidArgument,
        Errno.EMFILE or Errno.ENFILE => SocketError.TooManyOpenSockets,
        Errno.ENETDOWN => SocketError.NetworkDown,
        Errno.ENETUNREACH => SocketError.NetworkUnreachable,
        Errno.ENOBUFS or Errno.ENOMEM => SocketError.NoBufferSpaceAvailable,
        Errno.ETIMEDOUT => SocketError.TimedOut,
        _ => SocketError.SocketError,
    };
}
