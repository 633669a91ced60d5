using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class StuckLoopMonitorTests : IDisposable
{
    // The first look meets the callback, the next ones find it again.
    private const int ChecksUntilStuck = 1 + StuckLoopMonitor.ChecksUntilStuck;

    private readonly ManualTime _time = new();
    private readonly CallLog<NumaEventLoopStall> _stalls = new();
    private readonly CallLog<TimeSpan> _ends = new();
    private readonly Gate _release = new();
    private readonly RecordingHandler _blocking;
    private NumaEventLoopGroup? _group;

    public StuckLoopMonitorTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        _blocking = new RecordingHandler(_ => _release.Pass());
    }

    public void Dispose()
    {
        _release.Dispose();
        _group?.Dispose();
    }

    [Fact]
    public void Callback_NoThreadMayTakeOver_IsReportedUntilItReturns()
    {
        var loop = Start(new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });
        Block(loop);
        _time.TickEach(ChecksUntilStuck - 1);
        Assert.Empty(_stalls);
        Assert.Equal(TimeSpan.Zero, loop.StuckFor);

        _time.TickEach(2);
        Assert.Equal(2, _stalls.Count);
        var stall = _stalls[1];
        Assert.Same(loop, stall.Loop);
        Assert.Same(_blocking, stall.Handler);
        Assert.Equal(stall.Duration, loop.StuckFor);
        Assert.Matches("^thread [0-9]+ .+, and no other thread may take over the loop$", stall.Reason);
        Assert.Empty(_ends);

        _release.Open();
        Wait.Until(() => loop.IsAsleep);
        _time.TickEach(2 * ChecksUntilStuck);
        Assert.True(Assert.Single(_ends) >= stall.Duration);
        Assert.Equal(TimeSpan.Zero, loop.StuckFor);
        Assert.Equal(2, _stalls.Count);
    }

    [Fact]
    public void Callback_NoThreadIsLeft_SaysSo()
    {
        var loop = Start(new NumaEventLoopGroupOptions { MaxThreadsPerLoop = 2 });
        var first = new RecordingHandler(_ => _release.Pass());
        loop.Post(first);
        first.WaitForHandOver();
        Block(loop);
        _time.TickEach(ChecksUntilStuck);

        var stall = Assert.Single(_stalls);
        Assert.Same(_blocking, stall.Handler);
        Assert.EndsWith("returns either (it may have 2 threads)", stall.Reason, StringComparison.Ordinal);
        Assert.True(loop.StuckFor > TimeSpan.Zero);
    }

    [Fact]
    public void Callback_OnlyWaitsForACpu_SaysSo()
    {
        var loop = Start(new NumaEventLoopGroupOptions { Progress = new NeverLate() });
        Block(loop);
        _time.TickEach(ChecksUntilStuck);

        Assert.EndsWith(
            ", and another thread would wait for the same CPU", Assert.Single(_stalls).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Callback_ThresholdIsLong_IsNotStuckBeforeIt()
    {
        var loop = Start(new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.FromSeconds(10) });
        Block(loop);
        _time.TickEach(ChecksUntilStuck + 49);
        Assert.Empty(_stalls);

        _time.Tick();
        Assert.Single(_stalls);
    }

    [Fact]
    public void Callback_AnotherThreadHasTheLoop_IsNotStuck()
    {
        var loop = Start(new NumaEventLoopGroupOptions());
        loop.Post(_blocking);
        _blocking.WaitForHandOver();
        Wait.Until(() => loop.IsAsleep);
        _time.TickEach(2 * ChecksUntilStuck);

        Assert.Empty(_stalls);
    }

    [Fact]
    public void Loop_AnotherCallbackAtEachLook_IsNotStuck()
    {
        var loop = Start(new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });
        for (var i = 0; i < 2 * ChecksUntilStuck; i++)
        {
            using var release = new Gate();
            var handler = new RecordingHandler(_ => release.Pass());
            loop.Post(handler);
            handler.WaitForCall();
            _time.Tick();
            release.Open();
            handler.WaitForReturn();
        }

        Assert.Empty(_stalls);
    }

    [Fact]
    public void Dispose_LoopIsStuck_IsNotAnyMore()
    {
        var loop = Start(new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });
        Block(loop);
        _time.TickEach(ChecksUntilStuck);
        Assert.True(loop.StuckFor > TimeSpan.Zero);
        _release.Open();
        _group!.Dispose();

        Assert.Equal(TimeSpan.Zero, loop.StuckFor);
        Assert.Equal(0, _time.TimerCount);
    }

    private NumaEventLoop Start(NumaEventLoopGroupOptions options)
    {
        options.Time = _time;
        options.Stuck = _stalls.Add;
        options.Resumed = (_, duration) => _ends.Add(duration);

        // One loop: another one that has not run yet would count as stuck, too.
        _group = new NumaEventLoopGroup(TestMachines.OneCpu().Plan(), options);
        return _group.Loops[0];
    }

    private void Block(NumaEventLoop loop)
    {
        loop.Post(_blocking);
        _blocking.WaitForCall();
    }

    private sealed class NeverLate : ThreadProgress
    {
        public override TimeSpan? Begin(int threadId) => TimeSpan.Zero;

        public override bool IsLate(int threadId, TimeSpan? begun) => false;
    }
}
