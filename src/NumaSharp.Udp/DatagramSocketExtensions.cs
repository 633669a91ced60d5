using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

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

/// <summary>
/// A reusable receive, with the address it receives into. Each thread keeps one per family without sharing: a receive loop
/// returns its operation and takes it again. The rest are queued for threads without one, because a receive may end on another
/// thread than it began on.
/// </summary>
internal sealed class ReceiveOperation : IValueTaskSource<SocketReceiveFromResult>
{
    // The maximum number kept; more receives may be pending, and their operations become garbage.
    private const int Limit = 4096;

    private static readonly ConcurrentQueue<ReceiveOperation> s_ipv4 = new();
    private static readonly ConcurrentQueue<ReceiveOperation> s_ipv6 = new();

    [ThreadStatic]
    private static ReceiveOperation? t_ipv4;

    [ThreadStatic]
    private static ReceiveOperation? t_ipv6;

    private readonly EndPointCache _cache;
    private readonly SocketAddress _address;
    private readonly Action _onReceived;
    private ManualResetValueTaskSourceCore<SocketReceiveFromResult> _core;
    private ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter _receiving;
    private EndPointCache.Receiver? _receiver;

    private ReceiveOperation(AddressFamily family)
    {
        _cache = EndPointCache.Of(family);
        _address = new SocketAddress(family);
        _onReceived = OnReceived;
    }

    /// <summary>Receives a datagram from an IPv4 or IPv6 socket.</summary>
    public static ValueTask<SocketReceiveFromResult> Start(
        Socket socket, Memory<byte> buffer, CancellationToken cancellationToken)
    {
        var operation = Rent(socket.AddressFamily);
        operation._receiver = EndPointCache.ReceiverOf(socket);
        var receiving = socket.ReceiveFromAsync(buffer, operation._address, cancellationToken);
        if (!receiving.IsCompletedSuccessfully)
        {
            return operation.WaitFor(receiving);
        }

        var result = operation.ResultOf(receiving.Result);
        Return(operation);
        return new ValueTask<SocketReceiveFromResult>(result);
    }

    SocketReceiveFromResult IValueTaskSource<SocketReceiveFromResult>.GetResult(short token)
    {
        var result = _core.GetResult(token);

        // Not after a failure, where the line above throws: a cancelled operation may still be using the address.
        _core.Reset();
        _receiving = default;
        Return(this);
        return result;
    }

    ValueTaskSourceStatus IValueTaskSource<SocketReceiveFromResult>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<SocketReceiveFromResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private ValueTask<SocketReceiveFromResult> WaitFor(ValueTask<int> receiving)
    {
        _receiving = receiving.ConfigureAwait(false).GetAwaiter();

        // Created before the continuation is registered, which may run, and end the operation, before this method returns.
        var result = new ValueTask<SocketReceiveFromResult>(this, _core.Version);
        _receiving.UnsafeOnCompleted(_onReceived);
        return result;
    }

    private void OnReceived()
    {
        SocketReceiveFromResult result;
        try
        {
            result = ResultOf(_receiving.GetResult());
        }
        catch (Exception exception)
        {
            _core.SetException(exception);
            return;
        }

        _core.SetResult(result);
    }

    private SocketReceiveFromResult ResultOf(int received) =>
        new() { ReceivedBytes = received, RemoteEndPoint = _cache.Get(_receiver!, _address) };

    private static ReceiveOperation Rent(AddressFamily family)
    {
        ref var own = ref Own(family);
        var operation = own;
        own = null;
        return operation ?? (Shared(family).TryDequeue(out operation) ? operation : new ReceiveOperation(family));
    }

    private static void Return(ReceiveOperation operation)
    {
        var family = operation._address.Family;
        ref var own = ref Own(family);
        if (own is null)
        {
            own = operation;
        }
        else if (Shared(family) is { } shared && shared.Count < Limit)
        {
            shared.Enqueue(operation);
        }
    }

    private static ConcurrentQueue<ReceiveOperation> Shared(AddressFamily family) =>
        family == AddressFamily.InterNetwork ? s_ipv4 : s_ipv6;

    private static ref ReceiveOperation? Own(AddressFamily family)
    {
        if (family == AddressFamily.InterNetwork)
        {
            return ref t_ipv4;
        }

        return ref t_ipv6;
    }
}
