using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace NumaSharp.Udp;

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
