using System.Net.Sockets;
using NumaSharp.Interop;

namespace NumaSharp.Sockets;

/// <summary>Translates failed socket calls into the error codes of .NET's sockets.</summary>
internal static class SocketFailure
{
    /// <param name="result">The result of the call.</param>
    /// <param name="what">The call and its purpose, such as "bind for 127.0.0.1:80".</param>
    /// <exception cref="SocketException">The call failed.</exception>
    public static void ThrowIfFailed(SysResult result, string what)
    {
        if (!result.Succeeded)
        {
            throw ToException(result, what);
        }
    }

    public static SocketException ToException(SysResult result, string what) =>
        new((int)ErrorOf(result.Errno), $"{what} failed: {result.ErrorName}.");

    public static SocketError ErrorOf(int errno) => errno switch
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
        Errno.EISCONN => SocketError.IsConnected,
        Errno.EMFILE or Errno.ENFILE => SocketError.TooManyOpenSockets,
        Errno.EMSGSIZE => SocketError.MessageSize,
        Errno.ENETDOWN => SocketError.NetworkDown,
        Errno.ENETUNREACH => SocketError.NetworkUnreachable,
        Errno.ENOBUFS or Errno.ENOMEM => SocketError.NoBufferSpaceAvailable,
        Errno.ENOPROTOOPT => SocketError.ProtocolOption,
        Errno.EDESTADDRREQ => SocketError.DestinationAddressRequired,
        Errno.ENOTCONN => SocketError.NotConnected,
        Errno.EOPNOTSUPP => SocketError.OperationNotSupported,
        Errno.ETIMEDOUT => SocketError.TimedOut,
        _ => SocketError.SocketError,
    };
}
