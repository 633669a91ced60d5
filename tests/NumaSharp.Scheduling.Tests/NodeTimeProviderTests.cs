using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class NodeTimeProviderTests : IDisposable
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 2);
    private readonly ManualTime _clock = new();
    private readonly TimeProvider _time;

    public NodeTimeProviderTests() => _time = _scheduler.GetTimeProvider(1, _clock);

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public void CreateTimer_OneShot_CallsBackOnceOnTheNodeWithItsState()
    {
        using var called = new CountdownEvent(1);
        var seen = new List<(int, object?)>();
        using var timer = _time.CreateTimer(
            state =>
            {
                seen.Add((NumaTaskScheduler.CurrentNodeIndex, state));
                called.Signal();
            },
            "state",
            s_second,
            Timeout.InfiniteTimeSpan);

        _clock.Advance(s_second / 2);
        Settle();
        Assert.Empty(seen);
        _clock.Advance(s_second * 10);

        called.WaitFor();
        Settle();
        Assert.Equal([(1, "state")], seen);
    }

    [Fact]
    public void Change_PeriodAndPause_AreFollowed()
    {
        var calls = 0;
        using var timer = _time.CreateTimer(_ => Interlocked.Increment(ref calls), null, s_second, s_second);

        _clock.Advance(s_second * 3);
        Settle();
        Assert.Equal(3, Volatile.Read(ref calls));
        Assert.True(timer.Change(Timeout.InfiniteTimeSpan, s_second));
        _clock.Advance(s_second * 3);
        Settle();
        Assert.Equal(3, Volatile.Read(ref calls));
        Assert.True(timer.Change(s_second, TimeSpan.Zero));
        _clock.Advance(s_second * 3);
        Settle();
        Assert.Equal(4, Volatile.Read(ref calls));
        timer.Dispose();
        Assert.False(timer.Change(s_second, s_second));
    }

    [Fact]
    public async Task Dispose_CallbackThatHasNotStarted_IsNotCalled()
    {
        using var gate = new ManualResetEvent(false);
        var calls = 0;
        _scheduler.Occupy(1, gate);
        var timer = _time.CreateTimer(_ => Interlocked.Increment(ref calls), null, s_second, s_second);
        _clock.Advance(s_second);
        Assert.Equal(1, _scheduler.GetQueueLength(1));

        Assert.True(timer.DisposeAsync().AsTask().IsCompletedSuccessfully);
        gate.Set();

        await _scheduler.RunOnNode(1, () => { });
        Settle();
        Assert.Equal(0, Volatile.Read(ref calls));
    }

    [Fact]
    public async Task DisposeAsync_CallbacksThatRun_AreWaitedFor()
    {
        using var entered = new CountdownEvent(2);
        using var gate = new ManualResetEvent(false);
        var ended = 0;
        var timer = _time.CreateTimer(
            _ =>
            {
                entered.Signal();
                gate.WaitFor();
                Interlocked.Increment(ref ended);
            },
            null,
            s_second,
            s_second);

        // Two at a time: like the system's timers, a late callback does not hold up the next.
        _clock.Advance(s_second * 2);
        entered.WaitFor();
        var first = timer.DisposeAsync().AsTask();
        var second = timer.DisposeAsync().AsTask();
        Assert.False(first.IsCompleted);
        Assert.False(second.IsCompleted);
        gate.Set();

        await first;
        await second;
        Assert.Equal(2, Volatile.Read(ref ended));
        Assert.True(timer.DisposeAsync().AsTask().IsCompletedSuccessfully);
    }

    [Fact]
    public async Task DisposeAsync_FromItsOwnCallback_EndsAfterIt()
    {
        var disposal = new TaskCompletionSource<Task>();
        ITimer? timer = null;
        timer = _time.CreateTimer(
            _ =>
            {
                var task = timer!.DisposeAsync().AsTask();
                Assert.False(task.IsCompleted);
                disposal.SetResult(task);
            },
            null,
            s_second,
            s_second);
        _clock.Advance(s_second);

        await await disposal.Task;
    }

    [Fact]
    public async Task DisposeAsync_CallbackThatFails_IsWaitedForAndReported()
    {
        using var entered = new ManualResetEvent(false);
        using var gate = new ManualResetEvent(false);
        var errors = new List<Exception>();
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.UnhandledException = errors.Add;
        using var scheduler = new NumaTaskScheduler(options);
        var timer = scheduler.GetTimeProvider(0, _clock).CreateTimer(
            _ =>
            {
                entered.Set();
                gate.WaitFor();
                throw new InvalidTimeZoneException();
            },
            null,
            s_second,
            s_second);
        _clock.Advance(s_second);
        entered.WaitFor();
        var disposal = timer.DisposeAsync().AsTask();
        gate.Set();

        await disposal;
        await scheduler.RunOnNode(0, () => { });
        Assert.IsType<InvalidTimeZoneException>(Assert.Single(errors));
    }

    [Fact]
    public void CreateTimer_ExecutionContext_IsThatOfTheMakerUnlessSuppressed()
    {
        using var called = new CountdownEvent(3);
        var local = new AsyncLocal<string?> { Value = "maker's" };
        var seen = new string?[3];
        TimerCallback Note(int index) => _ =>
        {
            seen[index] = local.Value;
            local.Value = "callback's";
            called.Signal();
        };

        using var flowing = _time.CreateTimer(Note(0), null, s_second, Timeout.InfiniteTimeSpan);
        var flow = ExecutionContext.SuppressFlow();
        using var suppressed = _time.CreateTimer(Note(1), null, s_second, Timeout.InfiniteTimeSpan);
        flow.Undo();
        local.Value = "later";
        using var last = _time.CreateTimer(Note(2), null, s_second, Timeout.InfiniteTimeSpan);
        _clock.Advance(s_second);

        called.WaitFor();
        Assert.Equal("later", local.Value);
        Assert.Equal(("maker's", null, "later"), (seen[0], seen[1], seen[2]));
    }

    [Fact]
    public void Time_IsTheClocks()
    {
        var zone = TimeZoneInfo.CreateCustomTimeZone("test", TimeSpan.FromHours(5), displayName: null, standardDisplayName: null);
        _clock.SetLocalTimeZone(zone);
        var (start, begun) = (_time.GetUtcNow(), _time.GetTimestamp());
        _clock.Advance(s_second * 7);

        Assert.Equal(_clock.GetUtcNow(), _time.GetUtcNow());
        Assert.Equal(start + (s_second * 7), _time.GetUtcNow());
        Assert.Equal(TimeSpan.FromHours(5), _time.GetLocalNow().Offset);
        Assert.Equal(_clock.GetTimestamp(), _time.GetTimestamp());
        Assert.Equal(_clock.TimestampFrequency, _time.TimestampFrequency);
        Assert.Equal(s_second * 7, _time.GetElapsedTime(begun));
    }

    [Fact]
    public async Task DelayAndPeriodicTimer_WithTheNodesTime_GoOnOnTheNode()
    {
        async Task<int> DelayAsync()
        {
            await Task.Delay(s_second, _time);
            return NumaTaskScheduler.CurrentNodeIndex;
        }

        using var timer = new PeriodicTimer(s_second, _time);
        async Task<(bool, int)> TickAsync() => (await timer.WaitForNextTickAsync(), NumaTaskScheduler.CurrentNodeIndex);

        var (delay, tick) = (DelayAsync(), TickAsync());
        _clock.Advance(s_second);

        Assert.Equal(1, await delay);
        Assert.Equal((true, 1), await tick);
    }

    [Fact]
    public void CreateTimer_SystemsTime_CallsBackOnTheNode()
    {
        using var called = new ManualResetEvent(false);
        var node = -1;
        using var timer = _scheduler.GetTimeProvider(1).CreateTimer(
            _ =>
            {
                node = NumaTaskScheduler.CurrentNodeIndex;
                called.Set();
            },
            null,
            TimeSpan.FromMilliseconds(1),
            Timeout.InfiniteTimeSpan);

        called.WaitFor();
        Assert.Equal(1, node);
        Assert.Same(_scheduler.GetTimeProvider(0), _scheduler.GetTimeProvider(0, TimeProvider.System));
    }

    [Fact]
    public void CreateTimer_AfterDispose_CallsBackOnTheThreadPool()
    {
        using var called = new ManualResetEvent(false);
        var onPool = false;
        _scheduler.Dispose();

        using var timer = _time.CreateTimer(
            _ =>
            {
                onPool = Thread.CurrentThread.IsThreadPoolThread;
                called.Set();
            },
            null,
            s_second,
            Timeout.InfiniteTimeSpan);
        _clock.Advance(s_second);

        called.WaitFor();
        Assert.True(onPool);
    }

    [Fact]
    public void BadArguments_Throw()
    {
        var system = _scheduler.GetTimeProvider(0);

        Assert.Throws<ArgumentOutOfRangeException>(() => _scheduler.GetTimeProvider(2));
        Assert.Throws<ArgumentNullException>(() => system.CreateTimer(null!, null, s_second, s_second));
        Assert.Throws<ArgumentOutOfRangeException>(() => system.CreateTimer(static _ => { }, null, -s_second, s_second));
        using var timer = system.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, s_second);
        Assert.Throws<ArgumentOutOfRangeException>(() => timer.Change(s_second, -s_second));
    }

    // Everything that is queued on the node has run: its workers sleep.
    private void Settle() => Wait.Until(
        () => _scheduler.GetQueueLength(1) == 0 && _scheduler.Groups.All(
            static group => group.Workers.ToArray().All(static worker => worker?.IsWaiting != false)));
}
