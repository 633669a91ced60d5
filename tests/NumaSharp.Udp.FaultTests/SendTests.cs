using NumaSharp.Interop;

namespace NumaSharp.Udp.FaultTests;

/// <summary>What the kernel says to a send: nothing is lost without being counted, and the next one is served.</summary>
public sealed class SendTests : IDisposable
{
    private readonly UdpMachine _machine = new();
    private readonly NumaUdpSocket _receiver;
    private readonly NumaUdpSocket _sender;
    private readonly NumaDatagramBatch _batch;

    public SendTests()
    {
        _receiver = _machine.Bind(LambdaHandler.Ignoring, static options => options.ReceiveBufferSize = 200_000);
        _sender = _machine.Factory.Connect(_receiver.LocalEndPoint);
        _batch = _machine.NewBatch();
    }

    public static TheoryData<string, string> SendRows => ManPages.Rows("sendmmsg");

    private NumaUdpShard Shard => _sender.Shards[0];

    public void Dispose()
    {
        _batch.Dispose();
        _machine.Dispose();
    }

    [Theory]
    [MemberData(nameof(SendRows))]
    public async Task Send_Fails_IsTriedAgainOrCountedAndTheNextOneGoes(string call, string error)
    {
        Assert.True(_batch.TryAdd([], [1]));
        int sent;
        using (var fault = new Fault(call, ManPages.NumberOf(error)))
        {
            sent = await Shard.SendAsync(_batch).Within();
            Assert.True(fault.WasMet);
        }

        Assert.Equal(1, await Shard.SendAsync(_batch).Within());
        var statistics = UdpMachine.SumOf(_sender);
        Assert.Equal((sent + 1, 2), (statistics.SentDatagrams, statistics.SentDatagrams + statistics.RefusedDatagrams));
        UdpMachine.Until(_receiver, sum => sum.ReceivedDatagrams == sent + 1);
    }

    [Theory]
    [MemberData(nameof(SendRows))]
    public void Answer_Fails_TheNextOneComes(string call, string error)
    {
        var server = _machine.Bind(new EchoHandler());
        using var client = UdpMachine.ClientOf(server);
        using (var fault = new Fault(call, ManPages.NumberOf(error)))
        {
            client.Send([1]);
            Wait.Until(() => fault.WasMet, () => $"{fault}");
        }

        UdpMachine.Until(server, static sum => sum.SentDatagrams + sum.RefusedDatagrams == 1);
        var isLost = server.GetStatistics().Sum(static shard => shard.RefusedDatagrams) == 1;
        client.Send([1, 2]);
        var buffer = new byte[8];
        var length = client.Receive(buffer);
        Assert.Equal(isLost ? 2 : 1, length);
        Assert.Equal(2, isLost ? length : client.Receive(buffer));
    }

    [Fact]
    public async Task NoRoom_SendsContinueInTheOrderOfTheirCalls()
    {
        using var other = _machine.NewBatch();
        Assert.True(_batch.TryAdd([], [1]));
        Assert.True(other.TryAdd([], [2, 2]));
        using var fault = new Fault("sendmmsg", Errno.EAGAIN, times: 1);
        var first = Shard.SendAsync(_batch).AsTask();
        var second = Shard.SendAsync(other).AsTask();
        Assert.Equal(2, (await Task.WhenAll(first, second).Within()).Sum());
        Assert.Equal(2, UdpMachine.SumOf(_sender).SentDatagrams);
    }

    [Fact]
    public async Task NoRoom_InTheMiddleOfABatch_TheRestGoesAndNothingTwice()
    {
        _sender.AsDisposable().Dispose();
        var sender = _machine.Factory.Connect(_receiver.LocalEndPoint, new NumaUdpOptions { Gso = false });
        for (var i = 0; i < 200; i++)
        {
            Assert.True(_batch.TryAdd([], [(byte)i]));
        }

        // Messages of 64 datagrams each: the second of four does not go.
        using var fault = new Fault("sendmmsg", Errno.EAGAIN, times: 1, skip: 1);
        Assert.Equal(200, await sender.Shards[0].SendAsync(_batch).Within());
        Assert.True(fault.WasMet);
        UdpMachine.Until(_receiver, sum => sum.ReceivedDatagrams == 200);
    }

    [Theory]
    [InlineData(nameof(Errno.ENOBUFS), 1)]
    [InlineData(nameof(Errno.EPERM), 1)]
    [InlineData(nameof(Errno.EINVAL), 64)]
    public async Task Send_OneOfAMessageIsRefused_TheOthersGoUnlessTheyAreAlike(string error, int refused)
    {
        _sender.AsDisposable().Dispose();
        var sender = _machine.Factory.Connect(_receiver.LocalEndPoint, new NumaUdpOptions { Gso = false });
        for (var i = 0; i < 200; i++)
        {
            Assert.True(_batch.TryAdd([], [(byte)i]));
        }

        // The first of the second message's 64.
        using var fault = new Fault("sendmmsg", ManPages.NumberOf(error), skip: 1);
        Assert.Equal(200 - refused, await sender.Shards[0].SendAsync(_batch).Within());
        Assert.True(fault.WasMet);
        Assert.Equal(refused, UdpMachine.SumOf(sender).RefusedDatagrams);
        UdpMachine.Until(_receiver, sum => sum.ReceivedDatagrams == 200 - refused);
    }

    [Fact]
    public async Task NoRoom_CancelledOrDisposed_EndsAndSaysSo()
    {
        Assert.True(_batch.TryAdd([], [1]));
        using var fault = new Fault("sendmmsg", Errno.EAGAIN, times: int.MaxValue);
        using (var cancellation = new CancellationTokenSource())
        {
            var sending = Shard.SendAsync(_batch, cancellation.Token).AsTask();
            Assert.False(sending.IsCompleted);
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.Within());
        }

        var last = Shard.SendAsync(_batch).AsTask();
        Assert.False(last.IsCompleted);
        await _sender.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => last.Within());
    }

    [Fact]
    public async Task NoRoom_DisposedAndTheCallerBlocksThen_IsNotWaitedFor()
    {
        Assert.True(_batch.TryAdd([], [1]));
        using var gate = new Gate();
        using var fault = new Fault("sendmmsg", Errno.EAGAIN, times: int.MaxValue);
        var sending = SendAsync();
        await _sender.DisposeAsync().Within();
        Assert.False(sending.IsCompleted);
        gate.Open();
        await sending.Within();

        async Task SendAsync()
        {
            try
            {
                await Shard.SendAsync(_batch).ConfigureAwait(false);
                Assert.Fail("The socket is disposed.");
            }
            catch (ObjectDisposedException)
            {
                gate.Pass();
            }
        }
    }

    [Fact]
    public async Task NoRoom_DisposedWhileASendIsTriedAgain_SaysSo()
    {
        Assert.True(_batch.TryAdd([], [1]));

        // The loop tries it again, meets a peer's error, tries once more, and finds the socket closed.
        Fault? refused = null;
        using var full = new Fault(
            "sendmmsg",
            Errno.EAGAIN,
            onCall: () => refused = new Fault("sendmmsg", Errno.ECONNREFUSED, onCall: () => Shard.Close()));
        var sending = Shard.SendAsync(_batch).AsTask();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => sending.Within());
        refused!.Dispose();
    }

    [Fact]
    public async Task Send_WhileTheSocketIsBeingClosed_SaysSo()
    {
        Assert.True(_batch.TryAdd([], [1]));
        var sending = Task.FromResult(1);
        using (new Fault("close", errno: 0, onCall: () => sending = SendAsync()))
        {
            Shard.Close();
        }

        await Assert.ThrowsAsync<ObjectDisposedException>(() => sending.Within());

        // An exception must not leave the call.
        async Task<int> SendAsync() => await Shard.SendAsync(_batch);
    }

    // Once, an error that ICMP has is the peer's.
    [Theory]
    [InlineData(nameof(Errno.EIO), 1, 1000, false)]
    [InlineData(nameof(Errno.ENOPROTOOPT), 1, 1000, true)]
    [InlineData(nameof(Errno.ENOPROTOOPT), 2, 1000, false)]
    [InlineData(nameof(Errno.EOPNOTSUPP), 1, 1000, true)]
    [InlineData(nameof(Errno.EOPNOTSUPP), 2, 1000, false)]
    [InlineData(nameof(Errno.EINVAL), 1, 100, false)]
    [InlineData(nameof(Errno.EINVAL), 1, 1000, true)]
    [InlineData(nameof(Errno.EMSGSIZE), 1, 1000, true)]
    public async Task Cutting_IsRefusedInTheMiddle_DatagramsGoOneByOne(string error, int times, int size, bool isForThisOneOnly)
    {
        Assert.True(_sender.UsesGso);
        for (var round = 0; round < 3; round++)
        {
            _batch.Clear();
            for (var i = 0; i < 20; i++)
            {
                Assert.True(_batch.TryAdd([], new byte[size]));
            }

            Assert.Equal(1, _batch.MessageCount);
            using var fault = new Fault("sendmmsg", ManPages.NumberOf(error), times: round == 1 ? times : 0);
            Assert.Equal(20, await Shard.SendAsync(_batch).Within());
        }

        Assert.Equal(isForThisOneOnly, _sender.UsesGso);
        Assert.Equal(isForThisOneOnly ? [] : ["udp.gso"], _machine.SocketFallbacks.Select(static fallback => fallback.Feature));
        UdpMachine.Until(_receiver, sum => sum.ReceivedDatagrams == 60);
        Assert.Equal(60 * size, UdpMachine.SumOf(_receiver).ReceivedBytes);
    }

    [Fact]
    public void Answers_NoRoom_WaitAndNothingIsReceivedMeanwhile()
    {
        const int Times = 10;
        using var fault = new Fault("sendmmsg", Errno.EAGAIN, times: Times);
        var (handled, whileBlocked) = (0, 0);
        var server = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                whileBlocked += fault.WasMet ? 0 : batch.Count;
                foreach (var datagram in batch)
                {
                    Assert.True(batch.Echo(datagram));
                }

                Interlocked.Add(ref handled, batch.Count);
            }),
            static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);

        // Each is an event, by which the answer is tried once more. One by one: they wait in the socket, which has room for few.
        var sent = 0;
        for (var failed = 0; failed < Times; failed = fault.Failed)
        {
            client.Send([2]);
            sent++;
            Wait.Until(() => fault.Failed > failed);
        }

        client.Send([3]);
        sent++;
        for (var i = 0; i < sent; i++)
        {
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        Assert.Equal((1, sent), (whileBlocked, Volatile.Read(ref handled)));
        Assert.Equal(0, server.GetStatistics()[0].RepliesDropped);
    }
}
