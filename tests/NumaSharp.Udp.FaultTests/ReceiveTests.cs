using System.Net.Sockets;
using NumaSharp.Interop;

namespace NumaSharp.Udp.FaultTests;

/// <summary>Errors of a receive: the shard continues.</summary>
public sealed class ReceiveTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly UdpMachine _machine;

    public ReceiveTests() => _machine = new UdpMachine(new NumaUdpSocketFactoryOptions { Time = _time });

    public static TheoryData<string, string> ReceiveRows => ManPages.Rows("recvmmsg");

    public void Dispose() => _machine.Dispose();

    [Theory]
    [MemberData(nameof(ReceiveRows))]
    public void Receive_Fails_NothingIsLost(string call, string error)
    {
        var server = _machine.Bind(new EchoHandler(), static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        var isAgain = error == "EAGAIN";
        using (var fault = new Fault(call, ManPages.NumberOf(error)))
        {
            client.Send([1]);
            Wait.Until(() => fault.WasMet, () => $"{fault}");
            if (isAgain)
            {
                // The kernel says so only when it will tell of the change; this is the change.
                client.Send([2]);
            }

            Look(() => client.Available > 0);
            for (var i = 0; i < (isAgain ? 2 : 1); i++)
            {
                Assert.Equal(1, client.Receive(new byte[4]));
            }
        }

        client.Send([3]);
        Assert.Equal(1, client.Receive(new byte[4]));
        Assert.True(UdpMachine.SumOf(server).IsServing);
        Assert.Equal(0, UdpMachine.SumOf(server).Restarts);
    }

    [Theory]
    [MemberData(nameof(ReceiveRows))]
    public async Task ReceiveAsync_Fails_NothingIsLost(string call, string error)
    {
        var server = _machine.Bind(static options => options.Shards = 1);
        using var batch = server.Shards[0].CreateBatch();
        using var client = UdpMachine.ClientOf(server);
        using var fault = new Fault(call, ManPages.NumberOf(error));
        client.Send([1]);
        var receiving = server.Shards[0].ReceiveAsync(batch).AsTask();
        Assert.True(fault.WasMet);
        if (error == "EAGAIN")
        {
            client.Send([2]);
        }

        Look(() => receiving.IsCompleted);
        Assert.InRange(await receiving.Within(), 1, 2);
    }

    [Fact]
    public async Task ReceiveAsync_FailsWhileTheSocketStops_TriesAgainEverySecond()
    {
        const int Posts = 20;
        var server = _machine.Bind(static options => options.Shards = 1);
        using var batch = server.Shards[0].CreateBatch();
        using var client = UdpMachine.ClientOf(server);
        client.Send([1]);
        new ReceiveQueue(server.LocalEndPoint, size: 1).WaitFor(1);
        Task<int> receiving;
        Task stopping;
        using (var failed = new Fault("recvmmsg", Errno.ENOMEM, times: int.MaxValue))
        {
            receiving = server.Shards[0].ReceiveAsync(batch).AsTask();
            stopping = server.StopAsync();
            Wait.Until(() => failed.Failed > 1);

            // Each turn of the loop tries once: one that tried again by itself would have more failures than there are turns.
            for (var i = 0; i < Posts; i++)
            {
                var before = failed.Failed;
                server.Shards[0].Post();
                Wait.Until(() => failed.Failed > before);
            }

            // Besides the posts: the call itself, the datagram's event, the stop.
            Assert.InRange(failed.Failed, Posts + 2, Posts + 3);
        }

        Look(() => receiving.IsCompleted);
        Assert.Equal(1, await receiving);
        Assert.Equal(0, await server.Shards[0].ReceiveAsync(batch).Within());
        await stopping.Within();
    }

    // Any host that can send ICMP can cause them.
    [Fact]
    public async Task ReceiveAsync_OnePeerErrorAfterTheOther_DoesNotKeepTheThread()
    {
        var server = _machine.Bind(static options => options.Shards = 1);
        using var batch = server.Shards[0].CreateBatch();
        using var client = UdpMachine.ClientOf(server);
        Task<int> receiving;
        using (new Fault("recvmmsg", Errno.ECONNREFUSED, times: int.MaxValue))
        {
            // In a tuple: Task.Run would wait for the receive itself.
            (receiving, _) = await Task.Run(() => (server.Shards[0].ReceiveAsync(batch).AsTask(), true)).Within();
            Wait.Until(() => UdpMachine.SumOf(server).PeerErrors > 10);
            Assert.False(receiving.IsCompleted);
        }

        client.Send([1]);
        Assert.Equal(1, await receiving.Within());
    }

    [Fact]
    public void Rebuild_TheSocketCannotBeWatchedAgain_TheNextLookHasItWatched()
    {
        var server = _machine.BindWhileAllWait(new EchoHandler(), static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);

        // The doorbell is registered first, then the socket.
        LoopFailure.Meet(client, skip: 1);

        Wait.Until(() => !UdpMachine.SumOf(server).IsServing);
        Wait.Until(() => _machine.Log.TextsOf(618).Count == 1);
        Look(() => UdpMachine.SumOf(server).IsServing);

        // The last look may have posted once; the third is an event in any case.
        AnswerTo(client, 2);
        AnswerTo(client, 3);
        Assert.Equal(0, UdpMachine.SumOf(server).Restarts);
        Assert.Empty(_machine.Log.TextsOf(602));
    }

    private static void AnswerTo(Socket client, byte value)
    {
        client.Send([value]);
        var answer = new byte[4];
        for (answer[0] = 0; answer[0] != value;)
        {
            Assert.Equal(1, client.Receive(answer));
        }
    }

    // Every second a shard checks its socket, once it has seen the failure.
    private void Look(Func<bool> until) => Wait.Until(() =>
    {
        _time.Advance(TimeSpan.FromSeconds(1));
        return until();
    });
}
