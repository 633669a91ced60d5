using System.Buffers;
using System.Net.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>A pipelined batch is one send, whatever else happens to its connection meanwhile.</summary>
public sealed class CorkTests
{
    [Theory]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Batch_TheLoopHasAnEventMeanwhile_IsOneSend(EpollDispatchMode mode)
    {
        await using var pair = await RawPair.ConnectAsync(mode);
        var whileBatch = new TaskCompletionSource<int>();
        var serving = ServeTwoAsync(pair, whileBatch);

        await pair.Client.SendAsync("ab"u8.ToArray());
        Assert.Equal(0, await whileBatch.Task.Within("the first of the batch is answered"));
        await serving.Within("the whole batch is answered");
        var answer = new byte[8];
        Assert.Equal(2, await pair.Client.ReceiveAsync(answer).Within("the answers"));
        Assert.Equal("ab"u8, answer.AsSpan(0, 2));
        Assert.False(pair.Output.ExpectsBursts);
    }

    // A packet less per short connection, and the client wakes up once.
    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    public async Task LastAnswer_AndTheEnd_AreOnePacket(EpollDispatchMode mode)
    {
        // The kernel may send another in between: a late acknowledgement, or the bytes, if this thread has no CPU for 200 ms.
        var packets = new List<uint>();
        do
        {
            await using var pair = await RawPair.ConnectAsync(mode);
            var serving = ServeLastAsync(pair);
            await pair.Client.SendAsync("a"u8.ToArray());
            packets.Add(await serving.Within("the answer and the end are sent"));

            // Not on the loop, which ends with the pair.
            await Task.Yield();
            var answer = new byte[8];
            Assert.Equal(1, await pair.Client.ReceiveAsync(answer).Within("the answer"));
            Assert.Equal((byte)'a', answer[0]);
            Assert.Equal(0, await pair.Client.ReceiveAsync(answer).Within("the end"));
        }
        while (packets[^1] != 1 && packets.Count < 20);

        Assert.SkipWhen(packets.TrueForAll(static count => count == 0), "This kernel does not count packets (TCP_INFO).");
        Assert.True(packets[^1] == 1, $"packets of each attempt: {string.Join(' ', packets)}");
    }

    // Bytes that the kernel held back for an end that does not follow would wait for a timer.
    [Fact]
    public async Task Answer_NoEndFollows_IsSentAtOnce()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.ThreadPool);
        var serving = ServeFirstAsync(pair);
        await pair.Client.SendAsync("a"u8.ToArray());
        var packets = await serving.Within("the answer is sent");
        await Task.Yield();
        var answer = new byte[8];
        Assert.Equal(1, await pair.Client.ReceiveAsync(answer).Within("the answer"));
        Assert.SkipWhen(PacketsOut(pair.Server) == 0, "This kernel does not count packets (TCP_INFO).");

        Assert.NotEqual(0u, packets);
    }

    private static async Task<uint> ServeFirstAsync(RawPair pair)
    {
        var read = await pair.Input.ReadAsync();
        var before = PacketsOut(pair.Server);
        await AnswerOneAsync(pair.Input, pair.Output, read.Buffer);
        return PacketsOut(pair.Server) - before;
    }

    /// <returns>The packets that it took.</returns>
    private static async Task<uint> ServeLastAsync(RawPair pair)
    {
        var (input, output) = (pair.Input, pair.Output);
        var read = await input.ReadAsync();
        var before = PacketsOut(pair.Server);
        await AnswerOneAsync(input, output, read.Buffer);
        output.Complete();
        return PacketsOut(pair.Server) - before;
    }

    // tcpi_segs_out of struct tcp_info (linux/tcp.h, TCP_INFO).
    private static uint PacketsOut(EpollConnection server)
    {
        const int TcpInfo = 11;
        const int SegmentsOut = 136;
        using var handle = new SafeSocketHandle(server.Socket.Number, ownsHandle: false);
        using var socket = new Socket(handle);
        var info = new byte[SegmentsOut + sizeof(uint)];
        Assert.Equal(info.Length, socket.GetRawSocketOption(StreamCalls.IPPROTO_TCP, TcpInfo, info));
        return BitConverter.ToUInt32(info, SegmentsOut);
    }

    private static async Task ServeTwoAsync(RawPair pair, TaskCompletionSource<int> whileBatch)
    {
        // Not before the read waits: then its continuation is a callback of the dispatcher's.
        var (input, output) = (pair.Input, pair.Output);
        var read = await input.ReadAsync();
        Assert.Equal(2, read.Buffer.Length);
        await AnswerOneAsync(input, output, read.Buffer);
        PassLoop(pair.Server);
        whileBatch.SetResult(pair.Client.Available);
        Assert.True(input.TryRead(out read));
        await AnswerOneAsync(input, output, read.Buffer);
    }

    private static async ValueTask AnswerOneAsync(ReceivePipe input, SendPipe output, ReadOnlySequence<byte> buffer)
    {
        output.Write(buffer.FirstSpan[..1]);
        input.AdvanceTo(buffer.GetPosition(1));
        await output.FlushAsync();
    }

    // Blocks, so that the callback continues.
    private static void PassLoop(EpollConnection server)
    {
        using var passed = new ManualResetEvent(initialState: false);
        server.PostToLoop();
        server.Shard.Loop.Post(new Caller(() => passed.Set()));
        Wait.For(passed);
    }
}
