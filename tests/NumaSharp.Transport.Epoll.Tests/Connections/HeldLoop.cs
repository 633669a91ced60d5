using NumaSharp.EventLoop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>
/// Keeps a loop in a callback, from all events, until it is disposed of: what clients send meanwhile stays in the kernel. With
/// Adaptive the watchdog must be a <see cref="LateThread"/>'s, or the loop is handed over.
/// </summary>
internal sealed class HeldLoop : IDisposable
{
    private readonly Gate _gate = new();

    public HeldLoop(NumaEventLoop loop)
    {
        var entered = new ManualResetEventSlim();
        loop.Post(new Caller(() =>
        {
            entered.Set();
            _gate.Pass();
        }));
        Wait.For(entered);
    }

    /// <summary>Waits until a client's bytes are in the kernel's buffer.</summary>
    public static void WaitForUnread(EpollConnection connection, int bytes) => Wait.Until(() => Peek(connection, bytes) == bytes);

    public void Dispose() => _gate.Dispose();

    private static unsafe nint Peek(EpollConnection connection, int bytes)
    {
        const int Peek = 2;
        fixed (byte* buffer = new byte[bytes])
        {
            return StreamCalls.Receive(connection.Socket.Number, buffer, (nuint)bytes, Peek | SocketCalls.MSG_DONTWAIT);
        }
    }
}
