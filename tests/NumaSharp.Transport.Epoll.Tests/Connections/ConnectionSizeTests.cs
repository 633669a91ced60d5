using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>What ten thousand connections take is ten thousand times this.</summary>
[Collection(nameof(Alone))]
[Trait("kind", "allocation")]
public sealed class ConnectionSizeTests
{
    private const int PerWindow = 64;
    private const int Windows = 20;

    // 1,168 when it was written: accepting and one echo, with what is garbage afterwards.
    private const int Bound = 1200;

    [Fact]
    public async Task Connection_AcceptedAndUsedOnce_AllocatesLittle()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

        // All connections are of one loop, on machines of several nodes, too.
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() });
        var options = new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline };
        using var factory = new EpollTransportFactory(scheduler, options);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        var clients = new List<Socket>();
        var connections = new List<EpollConnection>();
        var windows = new AllocationAttempts(Windows, enough: Bound * PerWindow, patience: TimeSpan.Zero);
        while (!windows.AreOver)
        {
            windows.Add(await MeasureAsync(listener, clients, connections));
        }

        clients.ForEach(static client => client.Dispose());
        foreach (var connection in connections)
        {
            await connection.DisposeAsync();
        }

        Assert.InRange(windows.Least / PerWindow, 1, Bound);
    }

    // Of the loop's own thread; the least counts, because tables grow and collections come in some of the windows, and in the
    // first ones code is compiled. Their number is limited because the connections stay open.
    private static async Task<long> MeasureAsync(
        IConnectionListener listener, List<Socket> clients, List<EpollConnection> connections)
    {
        var clock = connections.Count == 0 ? null : new AllocationClock();
        var before = clock is null ? 0 : await clock.ReadAsync(connections[0].Shard.Loop);
        for (var i = 0; i < PerWindow; i++)
        {
            var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            clients.Add(client);
            await client.ConnectAsync(listener.EndPoint);
            var connection = (EpollConnection)(await listener.AcceptAsync().Within("the connection is accepted"))!;
            connections.Add(connection);
            var echo = EchoOnceAsync(connection);
            await client.SendAsync(new byte[4]);
            await client.ReceiveAsync(new byte[4]).Within("the echo");
            await echo;
        }

        return clock is null ? long.MaxValue : await clock.ReadAsync(connections[0].Shard.Loop) - before;
    }

    private static async Task EchoOnceAsync(ConnectionContext connection)
    {
        var read = await connection.Transport.Input.ReadAsync();
        connection.Transport.Output.GetSpan(4)[..4].Clear();
        connection.Transport.Output.Advance(4);
        connection.Transport.Input.AdvanceTo(read.Buffer.End);
        await connection.Transport.Output.FlushAsync();
    }

    /// <summary>What a loop's thread has allocated so far.</summary>
    private sealed class AllocationClock : EventLoopHandler
    {
        private TaskCompletionSource<long> _answer = new();

        public Task<long> ReadAsync(NumaEventLoop loop)
        {
            _answer = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
            loop.Post(this);
            return _answer.Task.Within("the loop answers");
        }

        protected internal override void OnReady(EventLoopEvents events) =>
            _answer.SetResult(GC.GetAllocatedBytesForCurrentThread());
    }
}
