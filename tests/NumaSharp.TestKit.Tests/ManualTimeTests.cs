namespace NumaSharp.TestKit.Tests;

public sealed class ManualTimeTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private readonly ManualTime _time = new();

    [Fact]
    public void Advance_PastSeveralPeriods_CallsBackForEachOnThisThread()
    {
        var threads = new List<int>();
        using var timer = _time.CreateTimer(_ => threads.Add(Environment.CurrentManagedThreadId), null, s_second, s_second);
        _time.Advance(3.5 * s_second);
        Assert.Equal(Enumerable.Repeat(Environment.CurrentManagedThreadId, 3), threads);
    }

    [Fact]
    public void TimerCount_OneIsDisposed_CountsTheOthers()
    {
        var first = _time.CreateTimer(static _ => { }, null, s_second, Timeout.InfiniteTimeSpan);
        using var second = _time.CreateTimer(static _ => { }, null, 2 * s_second, Timeout.InfiniteTimeSpan);
        Assert.Equal(2, _time.TimerCount);
        first.Dispose();
        Assert.Equal(1, _time.TimerCount);
        Assert.Equal(2 * s_second, _time.Interval);
    }

    [Fact]
    public void Changes_OfATimer_AreKeptInOrder()
    {
        using var timer = _time.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        timer.Change(s_second, Timeout.InfiniteTimeSpan);
        timer.Change(2 * s_second, Timeout.InfiniteTimeSpan);
        Assert.Equal([s_second, 2 * s_second], _time.Changes);
    }

    [Fact]
    public void OnNextReading_ReadTwice_IsCalledOnceAndNotByTimers()
    {
        var calls = 0;
        _time.OnNextReading = () => calls++;
        using var timer = _time.CreateTimer(static _ => { }, null, s_second, s_second);
        Assert.Equal(0, calls);
        _time.GetTimestamp();
        _time.GetTimestamp();
        Assert.Equal(1, calls);
        Assert.Null(_time.OnNextReading);
    }

    [Theory]
    [InlineData("make")]
    [InlineData("change")]
    [InlineData("dispose")]
    public void OnNextTimerCall_EachCall_IsCalledOnce(string what)
    {
        var calls = 0;
        using var timer = _time.CreateTimer(static _ => { }, null, s_second, s_second);
        _time.OnNextTimerCall = () => calls++;
        _time.GetTimestamp();
        Assert.Equal(0, calls);
        for (var i = 0; i < 2; i++)
        {
            switch (what)
            {
                case "make":
                    _time.CreateTimer(static _ => { }, null, s_second, s_second).Dispose();
                    break;
                case "change":
                    timer.Change(s_second, s_second);
                    break;
                default:
                    timer.Dispose();
                    break;
            }
        }

        Assert.Equal(1, calls);
        Assert.Null(_time.OnNextTimerCall);
    }

    [Fact]
    public void Tick_OfTheSlowestTimer_LetsItsIntervalPass()
    {
        var ticks = 0;
        using var timer = _time.CreateTimer(_ => ticks++, null, s_second, s_second);
        _time.Tick();
        Assert.Equal(1, ticks);
        _time.Tick(4);
        Assert.Equal(5, ticks);
    }
}
