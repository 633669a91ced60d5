using System.Buffers;
using System.IO.Pipelines;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>
/// A connection whose answers are flushed away from the callback, as HTTP/2's are: as many flushes as it is asked for.
/// </summary>
public sealed class BurstDispatchTests
{
    private const int LongEnough = 32;

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    public async Task Handler_AnswersInBursts_RunsOnTheThreadPoolForAsLong(EpollDispatchMode mode)
    {
        using var scheduler = RawPair.CreateScheduler();

        // A callback that is compiled first is not late, which would move the connection, too.
        var options = new EpollTransportOptions { Dispatch = mode, ConfigureLoops = new LateThread().Configure };
        await using var pair = await RawPair.ConnectAsync(options, scheduler);
        var serving = ServeAsync(pair.Server);
        var home = mode == EpollDispatchMode.Node ? Place.Worker : Place.Loop;

        await AskAsync(pair, flushes: 1);
        Assert.Equal(home, await AskAsync(pair, flushes: 1));
        for (var i = 0; i < LongEnough; i++)
        {
            await AskAsync(pair, flushes: 3);
        }

        Assert.Equal(Place.Pool, await AskAsync(pair, flushes: 1));
        for (var i = 0; i < LongEnough; i++)
        {
            await AskAsync(pair, flushes: 1);
        }

        Assert.Equal(home, await AskAsync(pair, flushes: 1));
        pair.Client.Dispose();
        await serving.Within("the handler sees the end");
    }

    /// <returns>Where the question was received.</returns>
    private static async Task<Place> AskAsync(RawPair pair, byte flushes)
    {
        await pair.Client.SendAsync(new[] { flushes });
        var answer = new byte[flushes];
        for (var received = 0; received < flushes;)
        {
            var count = await pair.Client.ReceiveAsync(answer.AsMemory(received)).AsTask().Within("the answer");
            Assert.NotEqual(0, count);
            received += count;
        }

        return (Place)answer[0];
    }

    private static async Task ServeAsync(EpollConnection connection)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        while (await input.ReadAsync() is { IsCompleted: false } read)
        {
            var flushes = read.Buffer.FirstSpan[0];
            input.AdvanceTo(read.Buffer.End);
            var place = NumaEventLoop.Current is not null ? Place.Loop
                : NumaTaskScheduler.CurrentNodeIndex >= 0 ? Place.Worker : Place.Pool;
            await Task.Run(() => AnswerAsync(output, place, flushes));
        }
    }

    private static async Task AnswerAsync(PipeWriter output, Place place, int flushes)
    {
        for (var i = 0; i < flushes; i++)
        {
            output.Write([(byte)place]);
            await output.FlushAsync();
        }
    }

    private enum Place : byte
    {
        Loop,
        Worker,
        Pool,
    }
}
