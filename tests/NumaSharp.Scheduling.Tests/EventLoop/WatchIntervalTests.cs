using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class WatchIntervalTests
{
    private static readonly TimeSpan s_threshold = TimeSpan.FromMilliseconds(1);

    private readonly WatchInterval _interval = new(s_threshold);

    [Theory]
    [InlineData(1, 500)]
    [InlineData(4, 800)]
    [InlineData(6, 1200)]
    [InlineData(15, 2000)]
    public void Next_NothingSuspicious_CostsHalfAPercentWithinItsBounds(int microsecondsPerSample, int expected)
    {
        Cost(TimeSpan.FromMicroseconds(microsecondsPerSample));

        Assert.Equal(TimeSpan.FromMicroseconds(expected), _interval.Next(isSuspicious: false));
    }

    [Fact]
    public void Next_CostUnknown_IsClose() => Assert.Equal(_interval.Close, _interval.Next(isSuspicious: false));

    [Fact]
    public void Next_Suspicious_IsCloseForThisSampleOnly()
    {
        Cost(TimeSpan.FromMicroseconds(5));

        Assert.Equal(_interval.Close, _interval.Next(isSuspicious: true));
        Assert.Equal(s_threshold, _interval.Next(isSuspicious: false));
    }

    [Fact]
    public void Next_AfterAHandOver_IsCloseForAWhile()
    {
        Cost(TimeSpan.FromMicroseconds(5));
        _interval.OnHandOver();

        for (var sample = 0; sample < WatchInterval.SamplesOfAlarm; sample++)
        {
            Assert.Equal(_interval.Close, _interval.Next(isSuspicious: false));
        }

        Assert.Equal(s_threshold, _interval.Next(isSuspicious: false));
    }

    [Fact]
    public void OnCost_Again_CountsFromTheLastTime()
    {
        Cost(TimeSpan.FromMicroseconds(15));
        Cost(TimeSpan.FromMicroseconds(4));

        Assert.False(_interval.IsCostDue);
        Assert.Equal(TimeSpan.FromMicroseconds(800), _interval.Next(isSuspicious: false));
    }

    [Theory]
    [InlineData(4, 800)]
    [InlineData(15, 3000)]
    [InlineData(30, 6000)]
    [InlineData(60, 8000)]
    public void Next_NobodyWasLateForLong_MayBeLongerUntilSomebodyIs(int microsecondsPerSample, int expected)
    {
        var perSample = TimeSpan.FromMicroseconds(microsecondsPerSample);
        for (var samples = 0; samples < WatchInterval.SamplesUntilPeace; samples += WatchInterval.SamplesPerCost)
        {
            Cost(perSample);
        }

        Assert.Equal(TimeSpan.FromMicroseconds(expected), _interval.Next(isSuspicious: false));
        Assert.Equal(_interval.Close, _interval.Next(isSuspicious: true));

        _interval.OnHandOver();
        Assert.Equal(_interval.Close, _interval.Next(isSuspicious: false));
        for (var samples = 0; samples <= WatchInterval.SamplesOfAlarm; samples += WatchInterval.SamplesPerCost)
        {
            Cost(perSample);
        }

        Assert.Equal(TimeSpan.FromMicroseconds(Math.Min(expected, 2000)), _interval.Next(isSuspicious: false));
    }

    private void Cost(TimeSpan perSample)
    {
        while (!_interval.IsCostDue)
        {
            _interval.Next(isSuspicious: false);
        }

        _interval.OnCost(perSample * WatchInterval.SamplesPerCost);
    }
}
