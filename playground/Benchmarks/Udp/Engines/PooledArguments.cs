using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks.Sources;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>
/// A pooled <see cref="SocketAsyncEventArgs"/> that is awaited itself: the design of "High-performance UDP sockets in .NET 5"
/// (Enclave, 2021), written from its description.
/// </summary>
internal sealed class PooledArguments : SocketAsyncEventArgs, IValueTaskSource<int>
{
    private static readonly ConcurrentQueue<PooledArguments> s_free = new();
    private static readonly IPEndPoint s_any = new(IPAddress.Any, 0);

    private ManualResetValueTaskSourceCore<int> _core;

    private PooledArguments()
        : base(true)
    {
    }

    public static async ValueTask<(int Length, EndPoint From)> ReceiveAsync(Socket socket, Memory<byte> buffer)
    {
        var arguments = Rent();
        try
        {
            arguments.RemoteEndPoint = s_any;
            arguments.SetBuffer(buffer);
            var length = await arguments.Await(socket.ReceiveFromAsync(arguments));
            return (length, arguments.RemoteEndPoint!);
        }
        finally
        {
            s_free.Enqueue(arguments);
        }
    }

    public static async ValueTask<int> SendAsync(Socket socket, EndPoint target, Memory<byte> payload)
    {
        var arguments = Rent();
        try
        {
            arguments.RemoteEndPoint = target;
            arguments.SetBuffer(payload);
            return await arguments.Await(socket.SendToAsync(arguments));
        }
        finally
        {
            s_free.Enqueue(arguments);
        }
    }

    int IValueTaskSource<int>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    protected override void OnCompleted(SocketAsyncEventArgs e) => Complete();

    private static PooledArguments Rent()
    {
        if (!s_free.TryDequeue(out var arguments))
        {
            return new PooledArguments();
        }

        arguments._core.Reset();
        return arguments;
    }

    private ValueTask<int> Await(bool isPending) =>
        isPending ? new ValueTask<int>(this, _core.Version)
        : SocketError == SocketError.Success ? new ValueTask<int>(BytesTransferred)
        : ValueTask.FromException<int>(new SocketException((int)SocketError));

    private void Complete()
    {
        if (SocketError == SocketError.Success)
        {
            _core.SetResult(BytesTransferred);
        }
        else
        {
            _core.SetException(new SocketException((int)SocketError));
        }
    }
}
