using System.Buffers;
using System.Net.Sockets;
using NumaSharp.Transport.Epoll.Connections;
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
