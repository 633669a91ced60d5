using System.Diagnostics;
using NumaSharp.Scheduling;

namespace NumaSharp.Tests.Scheduling;

public sealed class YieldPredictorTests
{
    private static readonly long s_second = Stopwatch.Frequency;

    [Theory]
    [InlineData(NumaSpinMode.Adaptive)]
    [InlineData(NumaSpinMode.LowLatency)]
    [InlineData(NumaSpinMode.LowCpu)]
    public void ShouldYield_SignalsComeNearTheEnd_Always(NumaSpinMode mode)
    {
        var yields = new YieldPredictor(mode);
        Assert.True(yields.ShouldYield());
        End(ref yields, microseconds: 400, ago: 0, times: 10);
        Assert.True(yields.ShouldYield());
    }

    [Theory]
    [InlineData(NumaSpinMode.Adaptive, false)]
    [InlineData(NumaSpinMode.LowLatency, false)]
    [InlineData(NumaSpinMode.LowCpu, true)]
    public void ShouldYield_ASignalWaitedForLong_NotForAWhileUnlessCpuTimeIsAll(NumaSpinMode mode, bool expected)
    {
        var yields = new YieldPredictor(mode);
        End(ref yields, microseconds: 3000, ago: -s_second, times: 1);
        Assert.Equal(expected, yields.ShouldYield());
    }

    [Fact]
    public void ShouldYield_LateButNobodyElseCouldHaveRunIt_StillDue()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        End(ref yields, microseconds: 3000, ago: -s_second, times: 10, couldBeSooner: false);
        Assert.True(yields.ShouldYield());
    }

    [Fact]
    public void ShouldYield_AfterThePause_Again()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        End(ref yields, microseconds: 3000, ago: s_second, times: 1);
        Assert.True(yields.ShouldYield());
    }

    [Fact]
    public void ShouldYield_EveryYieldIsLate_OnceASecond()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        End(ref yields, microseconds: 3000, ago: s_second / 2, times: 10);
        Assert.False(yields.ShouldYield());
        End(ref yields, microseconds: 3000, ago: 2 * s_second, times: 1);
        Assert.True(yields.ShouldYield());
    }

    [Fact]
    public void ShouldYield_GoodOnesAfterLateOnes_AreForgiven()
    {
        var yields = new YieldPredictor(NumaSpinMode.Adaptive);
        End(ref yields, microseconds: 3000, ago: 2 * s_second, times: 10);
        End(ref yields, microseconds: 100, ago: 0, times: 10);
        End(ref yields, microseconds: 3000, ago: s_second / 10, times: 1);
        Assert.True(yields.ShouldYield());
    }

    private static void End(
        ref YieldPredictor yields, int microseconds, long ago, int times, bool couldBeSooner = true)
    {
        for (var i = 0; i < times; i++)
        {
            var now = Stopwatch.GetTimestamp() - ago;
            yields.EndYield(now - (s_second * microseconds / 1_000_000), now, couldBeSooner);
        }
    }
}
