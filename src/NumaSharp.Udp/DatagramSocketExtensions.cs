using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Udp;

/// <summary>
/// Datagrams on a plain <see cref="Socket"/>, with pooled operation state: the design of "High-performance UDP sockets in .NET 5"
/// (Enclave, 2021) based on an API that .NET has had since 8.0, receiving into a <see cref="SocketAddress"/>. Nothing is
/// allocated per datagram for a recently seen remote. For one socket with many datagrams <c>NumaUdpSocket</c> costs less: it
/// receives in batches, on the node they arrive at. Thread-safe, as the socket is.
/// </summary>
public static class DatagramSocketExtensions
{
    /// <summary>Receives a datagram.</summary>
    /// <param name="socket">A bound IPv4 or IPv6 socket, dual-mode or not.</param>
    /// <param name="buffer">
    /// Receives the datagram. A datagram larger than the buffer fails with <see cref="SocketError.MessageSize"/> and is lost;
    /// 65,527 bytes hold any datagram.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>
    /// The number of bytes received, and the sender: an <see cref="IPEndPoint"/>, the same object for the same remote and socket
    /// while it is cached (each socket's last remote, and about 8,192 of all sockets). Treat it as read-only: other receives of
    /// this socket return the same object. A changed one is not returned again. The overload with a <see cref="SocketAddress"/>
    /// shares nothing.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="socket"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The socket is neither IPv4 nor IPv6.</exception>
    /// <exception cref="SocketException">The datagram could not be received (recvmsg(2)).</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed, or is being closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; no datagram was taken.</exception>
    public static ValueTask<SocketReceiveFromResult> ReceiveFromAsync(
        this Socket socket, Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(socket);
        if (!IsInternet(socket.AddressFamily))
        {
            throw new ArgumentException(
                $"The socket's address family is {socket.AddressFamily}; it must be InterNetwork or InterNetworkV6.",
                nameof(socket));
        }

        return ReceiveOperation.Start(socket, buffer, cancellationToken);
    }

    /// <summary>Receives a datagram, and its sender into a reusable address object: never allocates.</summary>
    /// <param name="socket">A bound socket.</param>
    /// <param name="buffer">Receives the datagram, as in the other overload.</param>
    /// <param name="receivedAddress">
    /// Of the socket's family. Its size is reset for the receive, whatever an earlier receive left in it; it belongs to the
    /// receive until that ends.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The number of bytes received.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The address is of another family than the socket.</exception>
    /// <exception cref="SocketException">The datagram could not be received (recvmsg(2)).</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed, or is being closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; no datagram was taken.</exception>
    public static ValueTask<int> ReceiveFromAsync(
        this Socket socket,
        Memory<byte> buffer,
        SocketAddress receivedAddress,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(receivedAddress);

        // An earlier receive has set the size to that of its sender's address.
        receivedAddress.Size = receivedAddress.Buffer.Length;
        return socket.ReceiveFromAsync(buffer, SocketFlags.None, receivedAddress, cancellationToken);
    }

    /// <summary>Sends a datagram.</summary>
    /// <param name="socket">A socket.</param>
    /// <param name="remoteEndPoint">
    /// The recipient. An <see cref="IPEndPoint"/> is cached by value; others are converted each time, as the socket does. An IPv6
    /// socket reaches an IPv4 recipient if it is dual-mode.
    /// </param>
    /// <param name="data">The datagram: up to 65,507 bytes over IPv4, and 65,527 over IPv6.</param>
    /// <param name="cancellationToken">Ends the wait for room in the socket's send buffer.</param>
    /// <returns>The number of bytes sent: all of them.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="SocketException">The datagram could not be sent (sendmsg(2)).</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed, or is being closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; nothing was sent.</exception>
    public static ValueTask<int> SendToAsync(
        this Socket socket,
        EndPoint remoteEndPoint,
        ReadOnlyMemory<byte> data,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(remoteEndPoint);
        return remoteEndPoint is IPEndPoint known && IsInternet(socket.AddressFamily)
            ? socket.SendToAsync(data, SocketFlags.None, EndPointCache.Of(socket.AddressFamily).Get(known), cancellationToken)
            : socket.SendToAsync(data, SocketFlags.None, remoteEndPoint, cancellationToken);
    }

    /// <summary>Sends a datagram to an address in the kernel's form: never allocates.</summary>
    /// <param name="socket">A socket.</param>
    /// <param name="remoteAddress">The recipient: of the socket's family, and unchanged until the send ends.</param>
    /// <param name="data">The datagram, as in the other overload.</param>
    /// <param name="cancellationToken">Ends the wait for room in the socket's send buffer.</param>
    /// <returns>The number of bytes sent: all of them.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="SocketException">The datagram could not be sent (sendmsg(2)).</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed, or is being closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; nothing was sent.</exception>
    public static ValueTask<int> SendToAsync(
        this Socket socket,
        SocketAddress remoteAddress,
        ReadOnlyMemory<byte> data,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(remoteAddress);
        return socket.SendToAsync(data, SocketFlags.None, remoteAddress, cancellationToken);
    }

    private static bool IsInternet(AddressFamily family) =>
        family is AddressFamily.InterNetwork or AddressFamily.InterNetworkV6;
}
