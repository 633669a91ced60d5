using NumaSharp.EventLoop;

namespace NumaSharp.Udp.Tests.Handlers;

/// <content>Handlers that follow those that hang, and the function that makes them, which may hang, too.</content>
public sealed partial class StuckHandlerTests
{
    [Fact]
    public async Task StopAsync_OnBatchDoesNotReturn_TheRestIsHandled()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        var queue = new ReceiveQueue(server.LocalEndPoint, size: 1);
        Hang(client, 1);
        client.Send([7]);
        queue.WaitFor(1);
        var stopping = server.StopAsync();
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        await stopping.Within();
        Assert.Equal(7, Receive(client));
        Assert.False(_gate.IsOpen);
    }

    [Fact]
    public void HandlerOf_DoesNotReturn_AnotherCallOfItReplacesTheHandler()
    {
        using var making = new Gate();
        var server = BindWithAHangingFunction(making);
        using var client = UdpMachine.ClientOf(server);
        HangInTheFunction(client);
        client.Send([7]);
        Check(StuckLoopMonitor.ChecksUntilStuck);
        Caller.WaitFor(_loop!);
        Assert.Equal((1, 0L, false), StateOf(server));
        Assert.Empty(Events);

        Check();
        Assert.Equal(7, Receive(client));
        UdpMachine.Until(server, static sum => sum.HandlersReplaced == 1);
        Assert.Equal((2, 1L, true), StateOf(server));
        Assert.Equal([616, 613], Events);

        // What the late call has made is kept for the next one that hangs.
        making.Open();
        UdpMachine.Until(server, static sum => sum.HandlersStuck == 1);
        Assert.Equal((1, 1L, true), StateOf(server));
        Hang(client, 3);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        client.Send([8]);
        Assert.Equal(8, Receive(client));
        Assert.Equal(3, _made.Count);
    }

    [Fact]
    public void HandlerOf_DoesNotReturnButTheHandlerDoes_ThatIsUsedAgain()
    {
        using var making = new Gate();
        var server = BindWithAHangingFunction(making);
        using var client = UdpMachine.ClientOf(server);
        HangInTheFunction(client);
        _gate.Open();
        Assert.Equal(0, Receive(client));
        Wait.Until(() => _machine.Log.TextsOf(615).Count == 1);
        Assert.Equal((1, 0L, false), StateOf(server));

        client.Send([7]);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        Assert.Equal(7, Receive(client));
        UdpMachine.Until(server, static sum => sum is { HandlersReplaced: 1, HandlersStuck: 1, IsServing: true });
        Assert.Equal([2], _made.Select(static handler => handler.Handled));
    }

    [Fact]
    public async Task Dispose_HandlerOfDoesNotReturn_WaitsForIt()
    {
        using var making = new Gate();
        var server = BindWithAHangingFunction(making);
        using var client = UdpMachine.ClientOf(server);
        HangInTheFunction(client);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        UdpMachine.Until(server, static sum => sum.HandlersReplaced == 1);
        _gate.Open();
        UdpMachine.Until(server, static sum => sum.HandlersStuck == 1);
        var disposal = server.DisposeAsync().AsTask();
        UdpMachine.Until(server, static sum => !sum.IsServing);
        Assert.False(disposal.IsCompleted);
        making.Open();
        await disposal.Within();
    }

    [Fact]
    public void OnBatch_FirstHandlerReturnsAfterOthers_IsPreferredToThem()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        using var second = new Gate();
        Hang(client, 1);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        UdpMachine.Until(server, static sum => sum.HandlersReplaced == 1);
        Hang(client, 2, second);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        UdpMachine.Until(server, static sum => sum.HandlersReplaced == 2);

        second.Open();
        Assert.Equal(0, Receive(client));
        UdpMachine.Until(server, static sum => sum.HandlersStuck == 1);
        client.Send([1]);
        Assert.Equal(1, Receive(client));
        _gate.Open();
        Assert.Equal(0, Receive(client));
        UdpMachine.Until(server, static sum => sum.HandlersStuck == 0);
        for (var i = 1; i <= 3; i++)
        {
            client.Send([(byte)i]);
            Assert.Equal(i, Receive(client));
        }

        Assert.Equal([4, 1, 1], _made.Select(static handler => handler.Handled));
    }

    // The second call, which is the first on the loop, hangs.
    private NumaUdpSocket BindWithAHangingFunction(Gate gate)
    {
        var calls = 0;
        return _machine.Factory.Bind(
            UdpMachine.Loopback,
            _ =>
            {
                if (Interlocked.Increment(ref calls) == 2)
                {
                    Stay(gate);
                }

                return NewHandler();
            },
            new NumaUdpOptions { Shards = 1 });
    }

    private void HangInTheFunction(System.Net.Sockets.Socket client)
    {
        Hang(client, 1);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        Wait.Until(() => Volatile.Read(ref _entered) == 2);
    }
}
