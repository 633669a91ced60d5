using System.Buffers;
using System.IO.Pipelines;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>What a client had sent before its read was cancelled is not lost, wherever it was at that moment.</summary>
public sealed class CancelledReadTests
{
    // More than the first block, and than one receive.
    private const int Sent = 50_000;

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task CancelPendingRead_BytesInTheKernelsBuffer_ComeWithIt(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        var read = pair.Input.ReadAsync().AsTask();
        using (new HeldLoop(pair.Server.Shard.Loop))
        {
            await SendAsync(pair);
            pair.Input.CancelPendingRead();

            await ExpectAllAsync(pair, read);
        }

        await ExpectNextAsync(pair);
    }

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task CancelPendingRead_BeforeTheReadWithBytesInTheKernelsBuffer_TheyComeWithIt(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        await SendAsync(pair);
        pair.Input.CancelPendingRead();

        await ExpectAllAsync(pair, pair.Input.ReadAsync().AsTask());
        await ExpectNextAsync(pair);
    }

    [Fact]
    public async Task CancelPendingRead_ReadOnItsWayToAWorker_BytesComeWithIt()
    {
        var plan = TestMachines.OneCpu().Plan();
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan, CompensateBlocking = false });
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = EpollDispatchMode.Node }, scheduler);
        var read = pair.Input.ReadAsync().AsTask();
        using (var gate = new Gate())
        {
            using var entered = new ManualResetEventSlim();
            scheduler.QueueOnNode(
                0,
                _ =>
                {
                    entered.Set();
                    gate.Pass();
                },
                state: null);
            Wait.For(entered);
            pair.Client.Send(new byte[Sent]);
            await Wait.UntilAsync(() => scheduler.GetQueueLength(0) == 1);
            HeldLoop.WaitForUnread(pair.Server, Sent);
            pair.Input.CancelPendingRead();
        }

        await ExpectAllAsync(pair, read);
        await ExpectNextAsync(pair);
    }

    private static Task<RawPair> ConnectAsync(EpollDispatchMode dispatch) => RawPair.ConnectAsync(
        new EpollTransportOptions { Dispatch = dispatch, ConfigureLoops = new LateThread().Configure });

    private static async Task SendAsync(RawPair pair)
    {
        for (var sent = 0; sent < Sent;)
        {
            sent += await pair.Client.SendAsync(new byte[Sent - sent]).Within("the client sends");
        }

        HeldLoop.WaitForUnread(pair.Server, Sent);
    }

    private static async Task ExpectAllAsync(RawPair pair, Task<ReadResult> read)
    {
        var result = await read.Within("the read ends");
        Assert.Equal((Sent, true, false), (result.Buffer.Length, result.IsCanceled, result.IsCompleted));
        pair.Input.AdvanceTo(result.Buffer.End);
    }

    private static async Task ExpectNextAsync(RawPair pair)
    {
        var read = pair.Input.ReadAsync().AsTask();
        await pair.Client.SendAsync(new byte[] { 7 });
        var result = await read.Within("the next read");
        Assert.False(result.IsCanceled);
        Assert.Equal([7], result.Buffer.ToArray());
        pair.Input.AdvanceTo(result.Buffer.End);
    }
}
