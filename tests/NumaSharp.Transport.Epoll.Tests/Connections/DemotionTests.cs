using System.Buffers;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Dispatching;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>A connection whose handler blocks for everything that it is sent until it is on a worker.</summary>
public sealed class DemotionTests
{
    private readonly ManualTime _time = new();
    private readonly LateThread _late = new();

    [Fact]
    public async Task Handler_BlocksAgainAndAgain_RunsOnWorkersForAWhile()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions
            {
                Dispatch = EpollDispatchMode.Adaptive,
                Time = _time,
                ConfigureLoops = _late.Configure,
            },
            scheduler);
        var serving = Task.Run(() => ServeAsync(pair.Server));

        var stalls = 0;
        while (stalls <= StallRecord.Limit && await AskAsync(pair, serving) == Place.Loop)
        {
            stalls++;
        }

        Assert.Equal(StallRecord.Limit, stalls);
        Assert.Equal(1, pair.Server.Shard.Counters.Read().Demotions);
        Assert.Equal(Place.Worker, await AskAsync(pair, serving));

        _time.Advance(StallRecord.Stay);
        Assert.Equal(Place.Loop, await AskAsync(pair, serving));
        Assert.Equal(Place.Worker, await AskAsync(pair, serving));
        Assert.Equal(2, pair.Server.Shard.Counters.Read().Demotions);
        pair.Client.Dispose();
        await serving.Within("the handler sees the end");
    }

    private static async Task<Place> AskAsync(RawPair pair, Task serving)
    {
        await pair.Client.SendAsync(new byte[1]);
        var answer = new byte[1];
        var receiving = pair.Client.ReceiveAsync(answer);
        if (await Task.WhenAny(receiving, serving).Within("the answer") == serving)
        {
            await serving;
        }

        Assert.Equal(1, await receiving);
        return (Place)answer[0];
    }

    private async Task ServeAsync(EpollConnection connection)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        while (await input.ReadAsync() is { IsCompleted: false } read)
        {
            input.AdvanceTo(read.Buffer.End);
            var loop = NumaEventLoop.Current;
            var place = loop is not null ? Place.Loop : NumaTaskScheduler.CurrentNodeIndex >= 0 ? Place.Worker : Place.Elsewhere;
            if (loop is not null)
            {
                _late.LoseLoop(loop);
            }

            output.Write([(byte)place]);
            await output.FlushAsync();
        }
    }

    private enum Place : byte
    {
        Elsewhere,
        Loop,
        Worker,
    }
}
