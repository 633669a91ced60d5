using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed class StopLimitTests
{
    private static readonly TimeSpan s_five = TimeSpan.FromSeconds(5);

    private readonly ManualTime _time = new();
    private readonly StopLimit _limit;

    public StopLimitTests() => _limit = new StopLimit(_time);

    [Fact]
    public void Of_TheHostRuns_IsTheWaitsOwn()
    {
        _time.Advance(TimeSpan.FromDays(1));

        Assert.Equal(s_five, _limit.Of(s_five));
        Assert.Equal(Timeout.InfiniteTimeSpan, _limit.Of(Timeout.InfiniteTimeSpan));
    }

    [Fact]
    public void Of_TheHostStops_IsWhatItHasLeftAndNeverNothing()
    {
        _limit.Begin(TimeSpan.FromSeconds(8));
        Assert.Equal(s_five, _limit.Of(s_five));
        Assert.Equal(TimeSpan.FromSeconds(8), _limit.Of(Timeout.InfiniteTimeSpan));

        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.Equal(TimeSpan.FromSeconds(2), _limit.Of(s_five));
        Assert.Equal(TimeSpan.FromSeconds(1), _limit.Of(TimeSpan.FromSeconds(1)));

        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(StopLimit.Least, _limit.Of(s_five));
        Assert.Equal(StopLimit.Least, _limit.Of(Timeout.InfiniteTimeSpan));
        Assert.Equal(TimeSpan.Zero, _limit.Of(TimeSpan.Zero));
    }

    [Fact]
    public void Of_TheHostStopsWithoutALimit_IsTheWaitsOwn()
    {
        _limit.Begin(Timeout.InfiniteTimeSpan);

        Assert.Equal(s_five, _limit.Of(s_five));
    }

    // The system's waits refuse more than about 24 days.
    [Fact]
    public void Of_TheHostMayTakeWeeks_IsADay()
    {
        _limit.Begin(TimeSpan.FromDays(40));

        Assert.Equal(TimeSpan.FromDays(1), _limit.Of(Timeout.InfiniteTimeSpan));
    }

    [Fact]
    public void Left_OfADeadline_IsNeverNegativeNorMoreThanItsLimit()
    {
        Assert.InRange(Deadline.In(TimeSpan.FromDays(1)).Left, TimeSpan.FromTicks(1), TimeSpan.FromDays(1));
        Assert.Equal(TimeSpan.Zero, Deadline.In(TimeSpan.Zero).Left);
        Assert.Equal(Timeout.InfiniteTimeSpan, Deadline.In(Timeout.InfiniteTimeSpan).Left);
    }

    // The clock is the application's, if it has one.
    [Fact]
    public void Of_TheClockWaitsForAnotherThread_HoldsNoLock()
    {
        _limit.Begin(TimeSpan.FromDays(1));
        _time.OnNextReading = () => TestThreads.Run(() => _limit.Of(s_five));
        Assert.Equal(s_five, _limit.Of(s_five));
        Assert.Null(_time.OnNextReading);
    }
}
