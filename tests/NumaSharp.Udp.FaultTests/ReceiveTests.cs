using NumaSharp.Interop;

namespace NumaSharp.Udp.FaultTests;

/// <summary>What the kernel says to a receive: the shard goes on.</summary>
public sealed class ReceiveTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly UdpMachine _machine;

    public ReceiveTests() => _machine = new UdpMachine(new NumaUdpFactoryOptions { Time = _time });

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
    public void Rebuild_TheSocketCannotBeWatchedAgain_TheNextLookHasItWatched()
    {
        const int EpollAdd = 1;
        var server = _machine.Bind(new EchoHandler(), static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);

        // The doorbell is registered first, then the socket.
        using (var refused = new Fault("epoll_ctl", Errno.ENOSPC, EpollAdd, skip: 1))
        using (var failed = new Fault("epoll_wait", Errno.EBADF))
        {
            client.Send([1]);
            Wait.Until(() => refused.WasMet, () => $"{failed}, {refused}");
        }

        Wait.Until(() => !UdpMachine.SumOf(server).IsServing);
        Look(() => UdpMachine.SumOf(server).IsServing);

        // No look any more: this one needs an event.
        client.Send([2]);
        var answer = new byte[4];
        for (answer[0] = 0; answer[0] != 2;)
        {
            Assert.Equal(1, client.Receive(answer));
        }

        Assert.Equal(0, UdpMachine.SumOf(server).Restarts);
    }

    // Every second a shard looks by itself, once it knows of the failure.
    private void Look(Func<bool> until) => Wait.Until(() =>
    {
        _time.Advance(TimeSpan.FromSeconds(1));
        return until();
    });
}
