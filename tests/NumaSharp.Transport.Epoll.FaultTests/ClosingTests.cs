using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Scheduling;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>What closing a connection does, and does not wait for.</summary>
public sealed class ClosingTests : IDisposable
{
    private static readonly IPEndPoint s_any = new(IPAddress.Loopback, 0);

    private readonly NumaTaskScheduler _scheduler = new(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() });
    private readonly EpollTransportFactory _factory;

    public ClosingTests() => _factory = new EpollTransportFactory(_scheduler);

    public void Dispose()
    {
        _factory.Dispose();
        _scheduler.Dispose();
    }

    [Fact]
    public async Task DisposeAsync_MuchUnread_OneReceiveTakesItAll()
    {
        const int Unread = 60_000;
        await using var listener = await _factory.BindAsync(s_any);
        var (connection, client) = await ConnectAsync(listener);
        using (client)
        {
            await client.SendAsync(new byte[Unread]).Within("the client sends");
            Wait.Until(() => Peek(connection, Unread) == Unread);
            using var receives = new Fault("recv", errno: 0, times: int.MaxValue);
            await connection.DisposeAsync();

            // And one that finds nothing more.
            Assert.InRange(receives.Failed, 1, 2);
            Assert.Equal(0, await client.ReceiveAsync(new byte[1]).Within("the end, not a reset"));
        }
    }

    [Fact]
    public async Task DisposeAsync_OutputHasEnded_WasShutDownOnce()
    {
        await using var listener = await _factory.BindAsync(s_any);
        var (connection, client) = await ConnectAsync(listener);
        using (client)
        {
            using var shutdowns = new Fault("shutdown", errno: 0, times: int.MaxValue);
            await connection.Transport.Output.CompleteAsync();
            await connection.DisposeAsync();

            Assert.Equal(1, shutdowns.Failed);
            Assert.Equal(0, await client.ReceiveAsync(new byte[1]).Within("the end"));
        }
    }

    // The accept lock, say, is held while a connection that could not be set up is closed, and needed by a bind.
    [Fact]
    public async Task Abort_AnEndPointIsBeingBound_DoesNotWaitForThat()
    {
        var first = await _factory.BindAsync(s_any);
        var (connection, client) = await ConnectAsync(first);
        await first.DisposeAsync();
        using var gate = new Gate();
        using var binding = new ManualResetEventSlim();
        using var fault = new Fault(
            "listen",
            errno: 0,
            onCall: () =>
            {
                binding.Set();
                gate.Pass();
            });
        var bind = Task.Run(async () => await _factory.BindAsync(s_any));
        Wait.For(binding);
        await Task.Run(connection.Abort).Within("the connection is closed meanwhile");

        gate.Open();
        await using var second = await bind.Within("the bind");
        await connection.DisposeAsync();
        client.Dispose();
        Assert.True(_factory.IsRunning);
    }

    private static async Task<(EpollConnection Connection, Socket Client)> ConnectAsync(IConnectionListener listener)
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint).Within("the client connects");
        var connection = await listener.AcceptAsync().Within("the connection is accepted");
        return ((EpollConnection)connection!, client);
    }

    private static unsafe nint Peek(EpollConnection connection, int bytes)
    {
        const int Peek = 2;
        fixed (byte* buffer = new byte[bytes])
        {
            return StreamCalls.Receive(connection.Socket.Number, buffer, (nuint)bytes, Peek | SocketCalls.MSG_DONTWAIT);
        }
    }
}
