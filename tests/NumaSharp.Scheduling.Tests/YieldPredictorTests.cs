using System.Diagnostics;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class YieldPredictorTests
{
    private static readonly long s_second = Stopwatch.Frequency;
    private static readonly long s_now = 1_000 * s_second;

    [Theory]
    [InlineData(NumaSpinMode.Adaptive, 400, false)]
    [InlineData(NumaSpinMode.Adaptive, 3000, true)]
    [InlineData(NumaSpinMode.LowLatency, 400, false)]
    [InlineData(NumaSpinMode.LowLatency, 3000, true)]
    [InlineData(NumaSpinMode.LowCpu, 400, false)]
    [InlineData(NumaSpinMode.LowCpu, 3000, false)]
    public void EndYield_ASignalWaited_IsLateAboveTheLimitUnlessCpuTimeIsAll(NumaSpinMode mode, int microseconds, bool expected)
    {
        var yields = new YieldPredictor(mode);
        Assert.Equal(expected, yields.EndYield(TicksOf(microseconds)));
        Assert.True(yields.ShouldYield(s_now));
    }

    [Theory]
    [InlineData(3000, 1, true)]
    [InlineData(3000, 120, true)]
    [InlineData(3000, 1000, false)]
    public void WasWorthWaking_ManyItems_AreBetterTakenTogether(int microseconds, int items, bool expected) =>
        Assert.Equal(expected, YieldPredictor.WasWorthWaking(TicksOf(microseconds), items));

    [Fact]
    public void ShouldYield_Paused_NotBeforeThePauseIsOver()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        yields.Pause(s_now + s_second);
        Assert.False(yields.ShouldYield(s_now));
        yields.Pause(s_now - s_second);
        Assert.True(yields.ShouldYield(s_now));
    }

    [Fact]
    public void Pause_AgainAndAgain_GrowsToASecond()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        Pause(ref yields, times: 10, ago: s_second / 2);
        Assert.False(yields.ShouldYield(s_now));
        Pause(ref yields, times: 1, ago: 2 * s_second);
        Assert.True(yields.ShouldYield(s_now));
    }

    [Fact]
    public void Pause_AfterYieldsThatWereShort_IsShortAgain()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        Pause(ref yields, times: 10, ago: 2 * s_second);
        for (var i = 0; i < 10; i++)
        {
            Assert.False(yields.EndYield(TicksOf(100)));
        }

        Pause(ref yields, times: 1, ago: s_second / 10);
        Assert.True(yields.ShouldYield(s_now));
    }

    private static void Pause(ref YieldPredictor yields, int times, long ago)
    {
        for (var i = 0; i < times; i++)
        {
            yields.Pause(s_now - ago);
        }
    }

    private static long TicksOf(int microseconds) => s_second * microseconds / 1_000_000;
}
