using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class SendPipeTests
{
    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Flush_InACallbackOverASmallLimit_Ends(EpollDispatchMode dispatch)
    {
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = dispatch, MaxWriteBufferSize = 4096 });
        var answer = Task.Run(async () =>
        {
            var read = await pair.Input.ReadAsync();
            pair.Input.AdvanceTo(read.Buffer.End);
            await pair.Output.WriteAsync(new byte[10_000]);
        });
        await pair.Client.SendAsync(new byte[1]);

        await answer.Within("a flush of more than the limit, which the socket takes at once");
    }

    [Fact]
    public async Task Flush_ClientIsGone_KeepsNoMemory()
    {
        using var scheduler = RawPair.CreateScheduler();
        using var pools = new NumaMemoryPools(scheduler.Plan, new NumaMemoryPoolsOptions { LimitPerNode = 16 << 20 });
        await using var pair = await RawPair.ConnectAsync(new EpollTransportOptions(), scheduler, pools);
        pair.Server.Abort();
        var piece = new byte[64 << 10];
        for (var i = 0; i < 1000; i++)
        {
            Assert.True((await pair.Output.WriteAsync(piece)).IsCompleted);
        }
    }

    // Decision 24: of these at most one is a bad place for a copy.
    [Fact]
    public async Task Write_LargeBlocks_BeginAtManyPlacesOfAPage()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Inline);
        var sent = new byte[50_000];
        new Random(1).NextBytes(sent);
        var places = new HashSet<nint>();
        for (var i = 0; i < 16; i++)
        {
            places.Add(WriteAndTellPlace(pair, sent));
            await pair.Output.FlushAsync();
            var received = new byte[sent.Length];
            for (var have = 0; have < received.Length;)
            {
                have += await pair.Client.ReceiveAsync(received.AsMemory(have)).Within("what was written");
            }

            Assert.Equal(sent, received);
        }

        // Not all 16: where two blocks take turns, a line apart (decision 16), each has eight, and they may be the other's.
        Assert.True(places.Count >= 8, $"{places.Count} places: {string.Join(", ", places)}");
    }

    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Complete_NotDisposedYet_ClientSeesTheEnd(EpollDispatchMode dispatch)
    {
        await using var pair = await RawPair.ConnectAsync(dispatch);
        await pair.Output.WriteAsync(new byte[3]);
        await pair.Output.CompleteAsync();
        var buffer = new byte[16];
        var received = 0;
        int count;
        while ((count = await pair.Client.ReceiveAsync(buffer).Within("the client sees the end")) > 0)
        {
            received += count;
        }

        Assert.Equal(3, received);
        pair.Client.Shutdown(SocketShutdown.Both);
    }

    [Fact]
    public async Task Flush_TokenOfAnEarlierFlushFiresLate_DoesNotCancel()
    {
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = EpollDispatchMode.ThreadPool, SendBufferSize = 64 << 10 });
        var buffer = new byte[1 << 20];
        pair.Client.ReceiveBufferSize = 64 << 10;
        for (var i = 0; i < 30; i++)
        {
            using var earlier = new CancellationTokenSource();
            var first = pair.Output.WriteAsync(buffer, earlier.Token).AsTask();
            Assert.False(first.IsCompleted);
            var next = first.ContinueWith(
                _ => pair.Output.WriteAsync(buffer).AsTask(),
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default).Unwrap();
            Task cancel;
            Task drain;
            lock (pair.Output.SyncRoot)
            {
                cancel = Task.Run(earlier.Cancel);
                drain = DrainAsync(pair.Client, buffer.Length * 2);
                Thread.SpinWait(20_000);
            }

            await cancel;
            await drain.Within("the client has all");
            Assert.False((await next.Within("the second flush")).IsCanceled);
        }
    }

    private static Task DrainAsync(Socket client, int bytes) => Task.Run(async () =>
    {
        var buffer = new byte[1 << 20];
        while (bytes > 0)
        {
            bytes -= await client.ReceiveAsync(buffer.AsMemory(0, Math.Min(bytes, buffer.Length)));
        }
    });

    private static unsafe nint WriteAndTellPlace(RawPair pair, byte[] sent)
    {
        var span = pair.Output.GetSpan(sent.Length);
        fixed (byte* start = span)
        {
            sent.CopyTo(span);
            pair.Output.Advance(sent.Length);
            return (nint)start % 4096;
        }
    }
}
