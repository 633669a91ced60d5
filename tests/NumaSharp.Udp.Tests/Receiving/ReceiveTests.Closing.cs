namespace NumaSharp.Udp.Tests.Receiving;

/// <content>What runs after a receive closes the socket or its factory, or blocks while they are closed.</content>
public sealed partial class ReceiveTests
{
    [Fact]
    public async Task Dispose_ReceiveIsPending_TheCodeAfterItMayDisposeOfTheFactory()
    {
        var receiving = ReceiveAndDisposeAsync();
        await _server.DisposeAsync().Within();
        Assert.Equal(0, await receiving.Within());
        Assert.Empty(_machine.Factory.Sockets);

        async Task<int> ReceiveAndDisposeAsync()
        {
            var count = await _shard.ReceiveAsync(_batch).ConfigureAwait(false);

            // On another thread, so that the wait has a limit.
            Wait.For(Task.Factory.StartNew(_machine.Factory.Dispose, TaskCreationOptions.LongRunning));
            return count;
        }
    }

    [Fact]
    public async Task Dispose_ReceiverBlocksAfterIt_ClosesAllShardsAndEnds()
    {
        using var gate = new Gate();
        var server = _machine.Bind(static options => options.Shards = 2);
        var receiving = server.Shards.Select(ReceiveAsync).ToArray();
        await server.DisposeAsync().Within();
        Assert.All(receiving, static task => Assert.False(task.IsCompleted));
        gate.Open();
        var counts = await Task.WhenAll(receiving).Within();
        Assert.Equal([0, 0], counts);

        async Task<int> ReceiveAsync(NumaUdpShard shard)
        {
            using var batch = shard.CreateBatch();
            var count = await shard.ReceiveAsync(batch).ConfigureAwait(false);
            gate.Pass();
            return count;
        }
    }

    // Without the limits, waiting for its own thread would never end.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Dispose_OnItsOwnLoop_DoesNotWaitForTheThreadItIsOn(bool isClosedBefore)
    {
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions
        {
            EndLimit = Timeout.InfiniteTimeSpan,
            ConfigureLoops = static loops => loops.EndLimit = TimeSpan.FromHours(1),
        });
        using var gate = new Gate();
        using var received = new ManualResetEvent(initialState: false);
        var server = machine.Bind(static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        using var batch = server.Shards[0].CreateBatch();
        var disposed = ReceiveAndDisposeAsync();
        client.Send([1]);
        Wait.For(received);
        var closing = isClosedBefore ? server.DisposeAsync().AsTask() : Task.CompletedTask;
        Wait.Until(() => !isClosedBefore || machine.Factory.Sockets.Count == 0);
        gate.Open();
        Assert.Matches("^numa[0-9]+-loop", await disposed.Within());
        await closing.Within();

        async Task<string?> ReceiveAndDisposeAsync()
        {
            await server.Shards[0].ReceiveAsync(batch).ConfigureAwait(false);
            received.Set();
            gate.Pass();
            Wait.For(server.DisposeAsync().AsTask());
            return Thread.CurrentThread.Name;
        }
    }
}
