using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>A handler that hangs on a loop that no other thread takes over.</summary>
public sealed class StuckLoopTests : IDisposable
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();
    private readonly RecordingLog _log = new();
    private readonly ManualResetEvent _release = new(initialState: false);
    private Task _handling = Task.CompletedTask;

    public void Dispose() => _release.Dispose();

    [Fact]
    public async Task Handler_HangsInline_IsReportedUntilItReturns()
    {
        await using var pair = await ConnectAsync(EpollDispatchMode.Inline);
        await HangAsync(pair);
        Pass(5);
        Assert.Equal(TimeSpan.Zero, StuckFor(pair));
        Assert.Empty(_log.Entries);

        Pass(3);
        Assert.Equal(TimeSpan.FromSeconds(7), StuckFor(pair));
        var loop = pair.Server.Shard.Loop;
        var (id, text) = Assert.Single(_log.Entries);
        Assert.Equal(511, id);
        Assert.StartsWith(
            $"Loop {loop.Index} on node {loop.NodeId} has been blocked for 5 s by connection {pair.Server.ConnectionId}: thread ",
            text,
            StringComparison.Ordinal);
        Assert.EndsWith(", and no other thread may take over the loop.", text, StringComparison.Ordinal);

        _release.Set();
        await ExpectServedAsync(pair);
        Pass(1);
        Assert.Equal(TimeSpan.Zero, StuckFor(pair));
        Assert.Equal((512, $"Loop {loop.Index} on node {loop.NodeId} resumed after 8 s."), _log.Entries[^1]);
        Assert.Equal(2, _log.Entries.Count);
    }

    [Fact]
    public async Task Handler_HangsAdaptively_IsNotWhileAnotherThreadHasTheLoop()
    {
        await using var pair = await ConnectAsync(EpollDispatchMode.Adaptive);
        var loop = pair.Server.Shard.Loop;
        await HangAsync(pair);
        Wait.Until(() => loop.HandOvers > 0);
        for (var look = 0; look < 10; look++)
        {
            // What has been posted is taken: the loop resumes.
            var taken = new Signal();
            loop.Post(new Caller(taken.Set));
            await taken.Task.Within("the loop resumes");
            Pass(1);
        }

        Assert.Equal(TimeSpan.Zero, StuckFor(pair));
        Assert.Empty(_log.Entries);
        _release.Set();
        await ExpectServedAsync(pair);
    }

    // One loop: another one whose thread has not been given a CPU since the start would count as stuck, too.
    private Task<RawPair> ConnectAsync(EpollDispatchMode dispatch) => RawPair.ConnectAsync(
        new EpollTransportOptions { Dispatch = dispatch, Time = _time },
        new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() }),
        loggers: _log);

    private static TimeSpan StuckFor(RawPair pair) => pair.Server.Shard.Counters.Read().StuckFor;

    // What follows a read runs on the loop.
    private async Task HangAsync(RawPair pair)
    {
        var entered = new Signal();
        var handling = HandleAsync();
        await pair.Client.SendAsync(new byte[1]);
        await entered.Task.Within("the handler's start");
        _handling = handling;

        async Task HandleAsync()
        {
            await pair.Input.ReadAsync();
            entered.Set();
            Wait.For(_release);
        }
    }

    private async Task ExpectServedAsync(RawPair pair)
    {
        await _handling.Within("the handler's end");
        var taken = new Signal();
        pair.Server.Shard.Loop.Post(new Caller(taken.Set));
        await taken.Task.Within("the loop resumes");
    }

    private void Pass(int looks)
    {
        for (var i = 0; i < looks; i++)
        {
            _time.Advance(s_look);
        }
    }
}
