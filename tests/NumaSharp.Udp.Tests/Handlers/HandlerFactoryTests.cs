using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Udp.Tests.Handlers;

/// <summary>The function that makes handlers is application code: it may use the factory, and wait for threads that do.</summary>
public sealed class HandlerFactoryTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void HandlerOf_WaitsForAThreadThatUsesTheFactory_IsNotADeadlock()
    {
        var server = Bind(_ =>
        {
            TestThreads.Run(() =>
            {
                Assert.Empty(_machine.Factory.Sockets);
                Assert.Empty(_machine.Factory.GetStatistics());
                _machine.Factory.SetStallThreshold(TimeSpan.FromMilliseconds(2));
                _machine.Factory.Apply(_machine.Plan);

                // The last open socket, but the loops stay.
                _machine.Bind(LambdaHandler.Ignoring).AsDisposable().Dispose();
            });
            return new EchoHandler();
        });
        using var client = UdpMachine.ClientOf(server);
        client.Send([1, 2]);
        Assert.Equal(2, client.Receive(new byte[4]));
    }

    [Fact]
    public void HandlerOf_BindsAnotherSocket_ThatIsOnAnotherLoop()
    {
        NumaUdpSocket? other = null;
        var server = Bind(_ =>
        {
            other = Bind(static _ => new EchoHandler());
            return new EchoHandler();
        });
        Assert.NotEqual(server.Shards[0].LoopIndex, other!.Shards[0].LoopIndex);
    }

    [Fact]
    public void HandlerOf_DisposesTheFactory_BindThrowsAndLeavesNothing()
    {
        IPEndPoint? local = null;
        Assert.Throws<ObjectDisposedException>(() => Bind(shard =>
        {
            local = shard.LocalEndPoint;
            _machine.Factory.Dispose();
            return new EchoHandler();
        }));
        Assert.Empty(_machine.Factory.Sockets);
        using var next = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        next.Bind(local!);
    }

    [Fact]
    public async Task HandlerOf_OfAConnectedSocket_ReceivesFromItsPeer()
    {
        var server = Bind(static _ => new EchoHandler());
        var asked = new List<NumaUdpShard>();
        var client = _machine.Factory.Connect(server.LocalEndPoint, shard =>
        {
            asked.Add(shard);
            return LambdaHandler.Ignoring;
        });
        using var batch = _machine.NewBatch();
        Assert.True(batch.TryAdd([], [1]));
        Assert.Equal(1, await client.Shards[0].SendAsync(batch));
        UdpMachine.Until(client, static sum => sum.ReceivedDatagrams == 1);
        Assert.Same(client.Shards[0], Assert.Single(asked));
    }

    private NumaUdpSocket Bind(Func<NumaUdpShard, IDatagramHandler> handlerOf) =>
        _machine.Factory.Bind(UdpMachine.Loopback, handlerOf, new NumaUdpOptions { Shards = 1 });
}
