using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed class BackgroundTimeTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    [Fact]
    public void Timer_OneShot_CallsOnceOnTheLibrarysThread()
    {
        using var called = new SemaphoreSlim(0);
        Thread? thread = null;
        using var timer = BackgroundTime.Instance.CreateTimer(
            _ =>
            {
                thread = Thread.CurrentThread;
                called.Release();
            },
            null,
            TimeSpan.FromMilliseconds(1),
            Timeout.InfiniteTimeSpan);

        Assert.True(called.Wait(s_limit));
        Assert.Equal("numa-timer", thread!.Name);
        Assert.False(thread.IsThreadPoolThread);
        Assert.True(thread.IsBackground);
        Assert.False(called.Wait(TimeSpan.FromMilliseconds(50)));
    }

    [Fact]
    public void Timer_Periodic_CallsUntilDisposed()
    {
        using var called = new SemaphoreSlim(0);
        var timer = BackgroundTime.Instance.CreateTimer(
            state => ((SemaphoreSlim)state!).Release(), called, TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
        for (var i = 0; i < 5; i++)
        {
            Assert.True(called.Wait(s_limit));
        }

        timer.Dispose();
        WaitForTimers();
        while (called.Wait(0))
        {
        }

        Assert.False(called.Wait(TimeSpan.FromMilliseconds(50)));
        Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        Assert.False(called.Wait(TimeSpan.FromMilliseconds(50)));
    }

    [Fact]
    public void Change_FromWithinTheCallback_SetsItAnew()
    {
        using var called = new SemaphoreSlim(0);
        ITimer? timer = null;
        using var made = new ManualResetEventSlim();
        timer = BackgroundTime.Instance.CreateTimer(
            _ =>
            {
                made.Wait();
                called.Release();
                timer!.Change(TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
            },
            null,
            TimeSpan.Zero,
            Timeout.InfiniteTimeSpan);
        made.Set();
        for (var i = 0; i < 3; i++)
        {
            Assert.True(called.Wait(s_limit));
        }

        timer.Dispose();
        WaitForTimers();
    }

    [Fact]
    public async Task Timers_DueInAnyOrderOfCreation_AreCalledByDueTime()
    {
        var order = new List<int>();
        using var called = new SemaphoreSlim(0);
        var timers = new List<ITimer>();

        // Held until all are there, and later than the last of them: then their due times alone decide.
        using var gate = new ManualResetEventSlim();
        timers.Add(Create(0, _ => gate.Wait()));
        foreach (var due in (int[])[40, 10, 30, 20])
        {
            timers.Add(Create(due, _ => order.Add(due)));
        }

        // Of two that are due at once, the elder first.
        timers.Add(Create(20, _ => order.Add(21)));
        timers.Add(Create(999_000, _ => order.Add(999_000)));
        await Task.Delay(60, TestContext.Current.CancellationToken);
        gate.Set();
        for (var i = 0; i < 6; i++)
        {
            Assert.True(await called.WaitAsync(s_limit, TestContext.Current.CancellationToken));
        }

        Assert.Equal([10, 20, 21, 30, 40], order);
        timers.ForEach(static timer => timer.Dispose());

        ITimer Create(int due, TimerCallback callback) => BackgroundTime.Instance.CreateTimer(
            state =>
            {
                callback(state);
                called.Release();
            },
            null,
            TimeSpan.FromMilliseconds(due),
            Timeout.InfiniteTimeSpan);
    }

    [Theory]
    [InlineData(10_003, 1, 10_004)]
    [InlineData(10_003, 999, 11_002)]
    [InlineData(10_003, 1_000, 11_000)]
    [InlineData(10_249, 1_000, 11_000)]
    [InlineData(10_250, 1_000, 12_000)]
    [InlineData(10_003, 1_400, 12_000)]
    [InlineData(10_003, 5_000, 15_000)]
    [InlineData(10_003, 5_600, 16_000)]
    public void LongWaits_EndOnWholeSeconds(long now, int wait, long due) =>
        Assert.Equal(due, BackgroundTime.DueAt(now, TimeSpan.FromMilliseconds(wait)));

    [Fact]
    public void Time_IsTheSystems()
    {
        var before = TimeProvider.System.GetTimestamp();
        var now = BackgroundTime.Instance.GetTimestamp();
        Assert.InRange(now, before, TimeProvider.System.GetTimestamp());
        Assert.Equal(TimeProvider.System.TimestampFrequency, BackgroundTime.Instance.TimestampFrequency);
    }

    // What was running is over when a later callback has run: there is one thread.
    private static void WaitForTimers()
    {
        using var passed = new SemaphoreSlim(0);
        using var timer = BackgroundTime.Instance.CreateTimer(
            _ => passed.Release(), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        Assert.True(passed.Wait(s_limit));
    }
}
