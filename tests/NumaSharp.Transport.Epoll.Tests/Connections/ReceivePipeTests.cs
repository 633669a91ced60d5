using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class ReceivePipeTests
{
    [Fact]
    public async Task ReadAsync_TokenOfAnEarlierReadFiresLate_DoesNotCancel()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Inline);
        for (var i = 0; i < 300; i++)
        {
            using var earlier = new CancellationTokenSource();
            var reads = Task.Run(async () =>
            {
                try
                {
                    var first = await pair.Input.ReadAsync(earlier.Token);
                    pair.Input.AdvanceTo(first.Buffer.End);
                }
                catch (OperationCanceledException)
                {
                    var late = await pair.Input.ReadAsync();
                    pair.Input.AdvanceTo(late.Buffer.End);
                }

                var second = await pair.Input.ReadAsync();
                pair.Input.AdvanceTo(second.Buffer.End);
            });
            await Wait.UntilAsync(() => pair.Input.IsWaiting);

            Task cancel;
            lock (pair.Input.SyncRoot)
            {
                cancel = Task.Run(earlier.Cancel);
                pair.Client.Send(new byte[1]);
                Thread.SpinWait(20_000);
            }

            await cancel;
            await Wait.UntilAsync(async () =>
            {
                if (!reads.IsCompleted)
                {
                    await pair.Client.SendAsync(new byte[1]).Within();
                    await Task.WhenAny(reads, Task.Delay(1));
                }

                return reads.IsCompleted;
            });
            await reads;
            while (pair.Input.TryRead(out var rest))
            {
                pair.Input.AdvanceTo(rest.Buffer.End);
            }
        }
    }

    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task ReadAsync_NoMemory_ThrowsAndTheConnectionEnds(EpollDispatchMode dispatch)
    {
        using var scheduler = RawPair.CreateScheduler();
        using var pools = new NumaMemoryPools(scheduler.Plan, new NumaMemoryPoolsOptions { LimitPerNode = 2 << 20 });
        await using var pair = await RawPair.ConnectAsync(new EpollTransportOptions { Dispatch = dispatch }, scheduler, pools);
        var read = pair.Input.ReadAsync().AsTask();
        var rented = RentAll(pools);
        await pair.Client.SendAsync(new byte[1]);

        await Assert.ThrowsAsync<OutOfMemoryException>(() => read.Within("the read ends"));
        await pair.Server.ConnectionClosed.Within("the connection's end is reported");
        GC.KeepAlive(rented);
    }

    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    [InlineData(EpollDispatchMode.Node)]
    public async Task ConnectionClosed_EndRightBehindTheLastBytes_IsReported(EpollDispatchMode dispatch)
    {
        for (var i = 0; i < 50; i++)
        {
            await using var pair = await RawPair.ConnectAsync(dispatch);
            var read = Task.Run(async () => await pair.Input.ReadAsync());
            await Wait.UntilAsync(() => pair.Input.IsWaiting);

            pair.Client.Send(new byte[10]);
            pair.Client.Shutdown(SocketShutdown.Send);
            await read.Within("the bytes");
            await pair.Server.ConnectionClosed.Within("the end is reported to an application that does not read on");
        }
    }

    [Fact]
    public async Task ConnectionClosed_EndBehindMoreThanOneTurnOfReads_IsReported()
    {
        const int Total = 30 * 4096;
        for (var i = 0; i < 20; i++)
        {
            await using var pair = await RawPair.ConnectAsync(
                new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline, MaxReadBufferSize = 4096 });
            var reads = Task.Run(async () =>
            {
                for (var received = 0L; received < Total;)
                {
                    var read = await pair.Input.ReadAsync();
                    received += read.Buffer.Length;
                    pair.Input.AdvanceTo(read.Buffer.End);
                }
            });
            await Wait.UntilAsync(() => pair.Input.IsWaiting);

            pair.Client.Send(new byte[Total]);
            pair.Client.Shutdown(SocketShutdown.Send);
            await reads.Within("all bytes");
            await pair.Server.ConnectionClosed.Within("the end is reported to an application that does not read on");
        }
    }

    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task ReadAsync_ResetThatASendHasSeenFirst_IsNotAnOrderlyEnd(EpollDispatchMode dispatch)
    {
        await using var pair = await RawPair.ConnectAsync(dispatch);
        pair.ResetClient();
        await pair.Server.ConnectionClosed.Within("the reset is noticed");
        Assert.True((await pair.Output.WriteAsync(new byte[1])).IsCompleted);

        await Assert.ThrowsAsync<ConnectionResetException>(() => pair.Input.ReadAsync().Within("the read ends"));
    }

    [Fact]
    public async Task ReadAsync_AbortAfterTheEnd_StaysAnOrderlyEnd()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.ThreadPool);
        pair.Client.Shutdown(SocketShutdown.Send);
        Assert.True((await pair.Input.ReadAsync().Within("the end")).IsCompleted);
        pair.Server.Abort();

        Assert.True((await pair.Input.ReadAsync().Within("the end again")).IsCompleted);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ReadAsync_ClientLeavesWhileNothingReadsAndTheServerAborts_SeesHowTheClientLeft(bool reset)
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Adaptive);
        if (reset)
        {
            pair.ResetClient();
        }
        else
        {
            pair.Client.Shutdown(SocketShutdown.Send);
        }

        await pair.Server.ConnectionClosed.Within("the end is reported");
        pair.Server.Abort();
        var read = Task.Run(async () => await pair.Input.ReadAsync());
        if (reset)
        {
            await Assert.ThrowsAsync<ConnectionResetException>(() => read);
        }
        else
        {
            Assert.True((await read).IsCompleted);
        }
    }

    // Kestrel's callback aborts the connection before it notes that the client has gone.
    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Read_ConnectionClosedAborts_GetsTheErrorWhenTheCallbackHasReturned(EpollDispatchMode dispatch)
    {
        await using var pair = await RawPair.ConnectAsync(dispatch);
        var inCallback = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var registration = pair.Server.ConnectionClosed.Register(() =>
        {
            pair.Server.Abort();
            inCallback.SetResult(Record.Exception(() => pair.Input.TryRead(out _)));
        });
        pair.ResetClient();

        Assert.Null(await inCallback.Task.Within("the callback"));
        await Assert.ThrowsAsync<ConnectionResetException>(() => pair.Input.ReadAsync().Within("the read ends"));
    }

    [Fact]
    public async Task ReadAsync_AbortWithAllExamined_Throws()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.ThreadPool);
        await pair.Client.SendAsync(new byte[3]);
        var first = await pair.Input.ReadAsync().Within("the bytes");
        pair.Input.AdvanceTo(first.Buffer.Start, first.Buffer.End);
        var read = pair.Input.ReadAsync().AsTask();
        pair.Server.Abort();

        await Assert.ThrowsAsync<ConnectionAbortedException>(() => read.Within("the read ends"));
    }

    [Fact]
    public async Task DisposeAsync_ReadIsPending_Ends()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Adaptive);
        var read = pair.Input.ReadAsync().AsTask();
        await pair.Server.DisposeAsync().Within("the disposal");

        await Assert.ThrowsAsync<ConnectionAbortedException>(() => read.Within("the read ends"));
    }

    [Fact]
    public async Task AdvanceTo_PositionOfABlockThatIsGone_ThrowsAndLosesNothing()
    {
        const int Sent = 5000;
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.ThreadPool);
        await pair.Client.SendAsync(new byte[Sent]);
        var first = await pair.Input.ReadAtLeastAsync(Sent).Within("the bytes");
        Assert.False(first.Buffer.IsSingleSegment);
        var stale = first.Buffer.Start;
        pair.Input.AdvanceTo(first.Buffer.GetPosition(4500));
        var rest = await pair.Input.ReadAsync().Within("the rest");

        Assert.Throws<InvalidOperationException>(() => pair.Input.AdvanceTo(stale));
        Assert.Throws<InvalidOperationException>(() => pair.Input.AdvanceTo(rest.Buffer.Start, stale));
        pair.Input.AdvanceTo(rest.Buffer.Start);
        Assert.Equal(500, (await pair.Input.ReadAsync().Within("the rest again")).Buffer.Length);
    }

    private static List<NumaMemoryBlock> RentAll(NumaMemoryPools pools)
    {
        var blocks = new List<NumaMemoryBlock>();
        try
        {
            while (true)
            {
                blocks.Add(pools[0].RentBlock());
            }
        }
        catch (OutOfMemoryException)
        {
            // All that the limit allows is rented.
            return blocks;
        }
    }
}
