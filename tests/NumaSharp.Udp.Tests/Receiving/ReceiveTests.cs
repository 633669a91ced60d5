using System.Net.Sockets;

namespace NumaSharp.Udp.Tests.Receiving;

public sealed partial class ReceiveTests : IDisposable
{
    private readonly UdpMachine _machine = new();
    private readonly NumaUdpSocket _server;
    private readonly NumaUdpShard _shard;
    private readonly NumaDatagramBatch _batch;

    public ReceiveTests()
    {
        _server = _machine.Bind(static options => options.Shards = 1);
        _shard = _server.Shards[0];
        _batch = _shard.CreateBatch();
    }

    public void Dispose()
    {
        _machine.Dispose();
        _batch.Dispose();
    }

    [Fact]
    public async Task Receive_BeforeAndAfterTheDatagram_GetsIt()
    {
        using var client = UdpMachine.ClientOf(_server);
        for (var i = 0; i < 10; i++)
        {
            var receiving = _shard.ReceiveAsync(_batch).AsTask();
            Assert.False(receiving.IsCompleted);
            client.Send([(byte)i]);
            Assert.Equal(1, await receiving.Within());
            Assert.Equal([(byte)i], FirstOf(_batch));

            client.Send([(byte)i, 1]);
            var count = _shard.ReceiveAsync(_batch);
            Assert.Equal(1, await count);
            Assert.Equal([(byte)i, 1], FirstOf(_batch));
        }
    }

    [Fact]
    public async Task Receive_HasWaited_ContinuesOnTheLoop()
    {
        using var client = UdpMachine.ClientOf(_server);
        var thread = WaitAsync();
        client.Send([1]);
        Assert.Matches("^numa[0-9]+-loop", await thread.Within());

        async Task<string?> WaitAsync()
        {
            await _shard.ReceiveAsync(_batch).ConfigureAwait(false);
            return Thread.CurrentThread.Name;
        }
    }

    [Fact]
    public async Task Receive_AlwaysSomethingThere_LetsTheLoopServeOthers()
    {
        var other = _machine.Bind(new EchoHandler(), static options => options.Shards = 2);
        using var stop = new CancellationTokenSource();
        var flood = Task.Factory.StartNew(
            () =>
            {
                using var client = UdpMachine.ClientOf(_server);
                while (!stop.IsCancellationRequested)
                {
                    client.Send([1]);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        var received = 0L;
        var receiving = ReceiveAsync();
        for (var i = 0; i < 50; i++)
        {
            using var client = UdpMachine.ClientOf(other);
            client.Send([1, 2]);
            Assert.Equal(2, client.Receive(new byte[4]));
        }

        await stop.CancelAsync();
        await flood.Within();
        await _server.StopAsync().Within();
        await receiving.Within();
        Assert.Equal(received, UdpMachine.SumOf(_server).ReceivedDatagrams);

        async Task ReceiveAsync()
        {
            while (await _shard.ReceiveAsync(_batch).ConfigureAwait(false) is > 0 and var count)
            {
                received += count;
            }
        }
    }

    // How long datagrams are is known when they are there: a batch is sized by the one before. All of a round fits
    // in the receive buffer that a socket has without asking (net.core.rmem_default).
    [Fact]
    public async Task Receive_LongDatagrams_AreBoundedInBytes()
    {
        var server = _machine.Bind(static options => (options.Shards, options.ReceiveBufferSize) = (1, 4 << 20));
        using var client = UdpMachine.ClientOf(server);
        using var batch = server.Shards[0].CreateBatch();
        Assert.Equal([12], await ReceiveAsync(count: 12, size: 30_000));
        Assert.Equal([8, 4], await ReceiveAsync(count: 12, size: 30_000));
        Assert.Equal([6], await ReceiveAsync(count: 6, size: 60_000));
        Assert.Equal([4, 2], await ReceiveAsync(count: 6, size: 60_000));
        Assert.Equal([4, 32, 32], await ReceiveAsync(count: 68, size: 10));
        Assert.Equal(0, UdpMachine.SumOf(server).BuffersDropped);

        async Task<List<int>> ReceiveAsync(int count, int size)
        {
            var payload = UdpMachine.Bytes(size);
            for (var i = 0; i < count; i++)
            {
                client.Send(payload);
            }

            new ReceiveQueue(server.LocalEndPoint, size).WaitFor(count);
            var batches = new List<int>();
            while (batches.Sum() < count)
            {
                batches.Add(await server.Shards[0].ReceiveAsync(batch).Within());
                Assert.Equal(payload, FirstOf(batch));
            }

            return batches;
        }
    }

    [Fact]
    public async Task Receive_Cancelled_EndsAndLosesNothing()
    {
        using var client = UdpMachine.ClientOf(_server);
        for (var i = 0; i < 20; i++)
        {
            using var cancellation = new CancellationTokenSource();
            var receiving = _shard.ReceiveAsync(_batch, cancellation.Token).AsTask();
            await cancellation.CancelAsync();
            var exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiving.Within());
            Assert.Equal(cancellation.Token, exception.CancellationToken);
        }

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => _shard.ReceiveAsync(_batch, new CancellationToken(canceled: true)).AsTask());
        client.Send([5]);
        Assert.Equal(1, await _shard.ReceiveAsync(_batch).Within());
    }

    [Fact]
    public async Task Receive_CancelledAsItEnds_IsOneOfTheTwo()
    {
        using var client = UdpMachine.ClientOf(_server);
        var (ended, cancelled) = (0, 0);
        for (var i = 0; i < 500; i++)
        {
            using var cancellation = new CancellationTokenSource();
            var receiving = _shard.ReceiveAsync(_batch, cancellation.Token).AsTask();
            client.Send([1]);
            await cancellation.CancelAsync();
            try
            {
                ended += await receiving.Within();
            }
            catch (OperationCanceledException)
            {
                cancelled++;
            }
        }

        while (ended < 500)
        {
            ended += await _shard.ReceiveAsync(_batch).Within();
        }

        Assert.Equal(500, ended);
        Assert.Equal(500, UdpMachine.SumOf(_server).ReceivedDatagrams);
    }

    [Fact]
    public async Task Receive_WrongUse_IsRefused()
    {
        using var other = _shard.CreateBatch();
        var receiving = _shard.ReceiveAsync(_batch).AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(() => _shard.ReceiveAsync(other).AsTask());
        await Assert.ThrowsAsync<InvalidOperationException>(() => _shard.ReceiveAsync(_batch).AsTask());
        await Assert.ThrowsAsync<InvalidOperationException>(() => _shard.SendAsync(_batch).AsTask());
        Assert.Throws<InvalidOperationException>(_batch.Clear);
        Assert.Throws<InvalidOperationException>(_batch.Dispose);
        Assert.Throws<InvalidOperationException>(() => _batch.GetEnumerator());
        Assert.Throws<InvalidOperationException>(() => _batch.TryAdd([], [1]));
        using var client = UdpMachine.ClientOf(_server);
        client.Send([1]);
        Assert.Equal(1, await receiving.Within());

        var handled = _machine.Bind(new EchoHandler());
        await Assert.ThrowsAsync<InvalidOperationException>(() => handled.Shards[0].ReceiveAsync(other).AsTask());
    }

    [Fact]
    public async Task Stop_WithSomethingQueued_GivesItAndThenNothing()
    {
        using var client = UdpMachine.ClientOf(_server);
        for (var i = 0; i < 70; i++)
        {
            client.Send([1]);
        }

        new ReceiveQueue(_server.LocalEndPoint, size: 1).WaitFor(70);
        var stopping = _server.StopAsync();
        client.Send([1]);
        var received = 0;
        while (await _shard.ReceiveAsync(_batch).Within() is > 0 and var count)
        {
            received += count;
        }

        await stopping.Within();
        Assert.Equal(70, received);
        Assert.Equal(0, await _shard.ReceiveAsync(_batch).Within());
        UdpMachine.Until(_server, static sum => sum.BuffersDropped == 1);
    }

    [Fact]
    public async Task Stop_NothingReceives_WaitsAsLongAsIsAllowed()
    {
        using var client = UdpMachine.ClientOf(_server);
        client.Send([1]);
        new ReceiveQueue(_server.LocalEndPoint, size: 1).WaitFor(1);
        using var limit = new CancellationTokenSource();
        var stopping = _server.StopAsync(limit.Token);
        Assert.False(stopping.IsCompleted);
        await limit.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => stopping.Within());
        await _server.DisposeAsync();
        Assert.Equal(1, UdpMachine.SumOf(_server).BuffersDropped);
    }

    [Fact]
    public async Task Dispose_ReceiveIsPending_ItReturnsNothingAndSendsFail()
    {
        var receiving = _shard.ReceiveAsync(_batch).AsTask();
        await _server.DisposeAsync();
        await _server.DisposeAsync();
        Assert.Equal(0, await receiving.Within());
        for (var i = 0; i < 40; i++)
        {
            Assert.Equal(0, await _shard.ReceiveAsync(_batch).Within());
        }

        Assert.True(_batch.TryAdd(new byte[16], [1]));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _shard.SendAsync(_batch).AsTask());
        Assert.False(UdpMachine.SumOf(_server).IsServing);
    }

    // Without the limits, waiting for its own thread would never end.
    [Fact]
    public async Task DisposeOfTheFactory_OnItsOwnLoop_DoesNotWaitForTheThreadItIsOn()
    {
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions
        {
            EndLimit = Timeout.InfiniteTimeSpan,
            ConfigureLoops = static loops => loops.EndLimit = TimeSpan.FromHours(1),
        });
        var server = machine.Bind(static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        using var batch = server.Shards[0].CreateBatch();
        var disposed = ReceiveAndDisposeAsync();
        client.Send([1]);
        Assert.Matches("^numa[0-9]+-loop", await disposed.Within());

        async Task<string?> ReceiveAndDisposeAsync()
        {
            await server.Shards[0].ReceiveAsync(batch).ConfigureAwait(false);
            machine.Factory.Dispose();
            return Thread.CurrentThread.Name;
        }
    }

    [Fact]
    public async Task ReceiveAll_UntilStopped_GivesEverything()
    {
        var received = 0;
        var receiving = ReceiveAsync();
        using var client = UdpMachine.ClientOf(_server);
        for (var i = 0; i < 100; i++)
        {
            client.Send([1]);
        }

        // Received first: what is taken out in between is missing in both, and not in one twice.
        var queue = new ReceiveQueue(_server.LocalEndPoint, size: 1);
        Wait.Until(() => UdpMachine.SumOf(_server).ReceivedDatagrams + queue.Count >= 100);
        await _server.StopAsync().Within();
        await receiving.Within();
        Assert.Equal(100, received);

        async Task ReceiveAsync()
        {
            await foreach (var batch in _shard.ReceiveAllAsync())
            {
                received += batch.Count;
            }
        }
    }

    [Fact]
    public async Task Send_BatchThatWasReceived_GoesBack()
    {
        using var client = UdpMachine.ClientOf(_server);
        client.Send([1, 2, 3]);
        client.Send([4]);
        var count = 0;
        while (count < 2)
        {
            count += await _shard.ReceiveAsync(_batch).Within();
            await _shard.SendAsync(_batch);
        }

        var buffer = new byte[8];
        Assert.Equal(3, client.Receive(buffer));
        Assert.Equal([1, 2, 3], buffer[..3]);
        Assert.Equal(1, client.Receive(buffer));
    }

    // More than we send as one, which a kernel from 6.9 on takes from others.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Send_MoreSegmentsThanOurs_AllGoBack(bool isCutByKernel)
    {
        const int udpLevel = 17;
        const int segmentOption = 103;
        const int segments = 120;
        var server = _machine.Bind(options => (options.Shards, options.Gso) = (1, isCutByKernel));
        using var client = UdpMachine.ClientOf(server);
        client.SetRawSocketOption(udpLevel, segmentOption, [50, 0, 0, 0]);
        try
        {
            client.Send(new byte[segments * 50]);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.InvalidArgument)
        {
            Assert.Skip("This kernel takes no more than 64 segments.");
        }

        var received = 0;
        while (received < segments)
        {
            received += await server.Shards[0].ReceiveAsync(_batch).Within();
            Assert.Equal(_batch.Count, await server.Shards[0].SendAsync(_batch));
        }

        for (var i = 0; i < segments; i++)
        {
            Assert.Equal(50, client.Receive(new byte[8_000]));
        }
    }

    private static byte[] FirstOf(NumaDatagramBatch batch)
    {
        foreach (var datagram in batch)
        {
            return datagram.Payload.ToArray();
        }

        return [];
    }
}
