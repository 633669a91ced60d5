using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.FaultTests;

/// <summary>Closing, and late returns of handlers, when the kernel refuses something.</summary>
public sealed class CloseTests
{
    [Fact]
    public async Task Dispose_UnderAFloodThatNoFilterKeepsOut_Ends()
    {
        using var machine = new UdpMachine();
        var server = machine.Bind(LambdaHandler.Ignoring, static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        using var refused = new Fault("setsockopt", Errno.EPERM, UdpCalls.SO_ATTACH_FILTER, times: int.MaxValue);

        // A datagram arrives before each receive, so the queue is never empty.
        using var flood = new Fault("recvmmsg", 0, times: int.MaxValue, onCall: () => client.Send([1]));
        client.Send([1]);
        UdpMachine.Until(server, static sum => sum.ReceivedDatagrams > 0);
        await server.DisposeAsync().Within();
        Assert.True(refused.Failed > 0);
    }

    [Fact]
    public async Task Dispose_AnswersWaitForRoom_AreDroppedAndCounted()
    {
        using var machine = new UdpMachine();
        var server = machine.Bind(new EchoHandler(), static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        using var full = new Fault("sendmmsg", Errno.EAGAIN, times: int.MaxValue);
        client.Send([1]);

        // The second time because the socket, which has room, is watched for it: from then on the reply only waits. One that is
        // tried while the socket is being closed is refused by it.
        Wait.Until(() => full.Failed > 1);
        await server.DisposeAsync().Within();
        var sum = UdpMachine.SumOf(server);
        Assert.Equal((1, 1, 0), (sum.ReceivedDatagrams, sum.RepliesDropped, sum.SentDatagrams));
    }

    [Fact]
    public void OnBatch_ReturnsLateAndTheSocketHasNoRoom_ItsAnswersAreDroppedAndCounted()
    {
        var (time, late) = (new ManualTime(), new LateThread());
        using var gate = new Gate();
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions { Time = time, ConfigureLoops = late.Configure });
        var entered = 0;
        var server = machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                foreach (var datagram in batch)
                {
                    if (datagram.Payload[0] == 0)
                    {
                        late.LoseLoop(NumaEventLoop.Current!);
                        Interlocked.Increment(ref entered);
                        gate.Pass();
                    }

                    batch.Reply(datagram, datagram.Payload);
                    batch.Reply(datagram, datagram.Payload);
                }
            }),
            static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        client.Send([0]);
        Wait.Until(() => Volatile.Read(ref entered) == 1);
        for (var i = 0; i <= StuckLoopMonitor.ChecksUntilStuck; i++)
        {
            time.Advance(StuckLoopMonitor.Interval);
        }

        UdpMachine.Until(server, static sum => sum.HandlersReplaced == 1);
        using (new Fault("sendmmsg", Errno.EAGAIN, times: 1))
        {
            gate.Open();
            UdpMachine.Until(server, static sum => sum.HandlersStuck == 0);
        }

        Assert.Equal(2, UdpMachine.SumOf(server).RepliesDropped);
        client.Send([1]);
        Assert.Equal(1, client.Receive(new byte[4]));
        Assert.Equal(1, client.Receive(new byte[4]));
    }
}
