using Microsoft.Extensions.Logging;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

/// <summary>A logger that does not return, called for many hand-overs.</summary>
[Collection(nameof(Alone))]
public sealed class BlockedLoggerTests
{
    [Fact]
    public async Task HandOvers_TheLoggerOfTheFirstManyDoesNotReturn_LoopsAreHandedOverAllTheSame()
    {
        var late = new LateThread();
        using var gate = new Gate();
        using var log = new RecordingLog(gate.Pass, LogLevel.Information);
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = EpollDispatchMode.Adaptive, ConfigureLoops = late.Configure },
            new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() }),
            loggers: log);
        var loop = pair.Server.Shard.Loop;
        for (var i = 1; i <= HandOverReport.Many + 5; i++)
        {
            loop.Post(new Caller(() => late.LoseLoop(loop), pair.Server.Shard.User));
            Wait.Until(() => loop.HandOvers == i);
        }

        gate.Open();
        Assert.Equal([507], log.Entries.Select(static entry => entry.Id));
    }
}
