using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

/// <summary>Most of it in time of the tests' own: the thread is the library's, what is due is not.</summary>
public sealed class BackgroundTimeTests
{
    private readonly BackgroundTime _time;
    private long _now = 10_000;

    public BackgroundTimeTests() => _time = new BackgroundTime(() => Volatile.Read(ref _now));

    [Theory]
    [InlineData(false, "numa-timer")]
    [InlineData(true, "numa-trim")]
    public void Timer_OfTheSystemsTime_CallsOnTheLibrarysThread(bool isForTrimming, string name)
    {
        using var called = new ManualResetEvent(initialState: false);
        Thread? thread = null;
        using var timer = (isForTrimming ? BackgroundTime.Trimming : BackgroundTime.Instance).CreateTimer(
            _ =>
            {
                thread = Thread.CurrentThread;
                called.Set();
            },
            null,
            TimeSpan.FromMilliseconds(1),
            Timeout.InfiniteTimeSpan);

        Wait.For(called);
        Assert.Equal(name, thread!.Name);
        Assert.False(thread.IsThreadPoolThread);
        Assert.True(thread.IsBackground);
    }

    [Fact]
    public void Timer_OneShot_CallsOnceWhenItIsDue()
    {
        var calls = 0;
        using var timer = Create(5, Timeout.Infinite, () => calls++);

        Pass(4);
        Assert.Equal(0, calls);
        Pass(1);
        Assert.Equal(1, calls);
        Pass(100);
        Assert.Equal(1, calls);
    }

    [Fact]
    public void Timer_Periodic_CallsUntilDisposed()
    {
        var calls = 0;
        var timer = Create(0, 10, () => calls++);
        Pass(0);
        Assert.Equal(1, calls);
        for (var i = 0; i < 5; i++)
        {
            Pass(10);
        }

        Assert.Equal(6, calls);
        timer.Dispose();
        Pass(100);
        Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        Pass(100);
        Assert.Equal(6, calls);
    }

    [Fact]
    public void Change_FromWithinTheCallback_SetsItAgain()
    {
        var calls = 0;
        ITimer? timer = null;
        timer = Create(1, Timeout.Infinite, () =>
        {
            calls++;
            timer!.Change(TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
        });
        for (var i = 0; i < 3; i++)
        {
            Pass(1);
        }

        Assert.Equal(3, calls);
        timer.Dispose();
    }

    [Fact]
    public void Timers_DueInAnyOrderOfCreation_AreCalledByDueTime()
    {
        var order = new List<int>();
        var timers = ((int[])[40, 10, 30, 20]).Select(due => Create(due, Timeout.Infinite, () => order.Add(due))).ToList();

        // Of two that are due at once, the elder first.
        timers.Add(Create(20, Timeout.Infinite, () => order.Add(21)));
        timers.Add(Create(999_000, Timeout.Infinite, () => order.Add(999_000)));
        Pass(60);

        Assert.Equal([10, 20, 21, 30, 40], order);
        timers.ForEach(static timer => timer.Dispose());
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

    private ITimer Create(int due, int period, Action callback) => _time.CreateTimer(
        _ => callback(), null, TimeSpan.FromMilliseconds(due), TimeSpan.FromMilliseconds(period));

    // All that is due by then has been called when this returns: what is due now is the last, and one thread calls them all.
    private void Pass(int milliseconds)
    {
        Interlocked.Add(ref _now, milliseconds);
        using var passed = new ManualResetEvent(initialState: false);
        using var last = Create(0, Timeout.Infinite, () => passed.Set());
        Wait.For(passed);
    }
}
