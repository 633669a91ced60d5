using System.Diagnostics;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class SpinTests
{
    [Fact]
    public void ShouldSpin_Adaptive_OnlyWhileWorkComesSoon()
    {
        var spin = new SpinPredictor(NumaSpinMode.Adaptive);
        Assert.False(spin.ShouldSpin);
        Wait(ref spin, microseconds: 5, times: 4);
        Assert.True(spin.ShouldSpin);
        Wait(ref spin, microseconds: 5, times: 100);
        Wait(ref spin, microseconds: 50, times: 7);
        Assert.False(spin.ShouldSpin);
        Wait(ref spin, microseconds: 5, times: 100);
        Wait(ref spin, microseconds: 1000, times: 4);
        Assert.False(spin.ShouldSpin);
    }

    [Theory]
    [InlineData(NumaSpinMode.LowLatency, true)]
    [InlineData(NumaSpinMode.LowCpu, false)]
    public void ShouldSpin_OtherModes_DoNotAsk(NumaSpinMode mode, bool expected)
    {
        var spin = new SpinPredictor(mode);
        Wait(ref spin, microseconds: 1, times: 100);
        Assert.Equal(expected, spin.ShouldSpin);
        Wait(ref spin, microseconds: 1_000_000, times: 100);
        Assert.Equal(expected, spin.ShouldSpin);
    }

    [Theory]
    [InlineData(NumaSpinMode.Adaptive, 10)]
    [InlineData(NumaSpinMode.LowLatency, 200)]
    public void IsOver_AfterTheLimitOfTheMode(NumaSpinMode mode, int microseconds)
    {
        var spin = new SpinPredictor(mode);
        const long now = 1_000_000_000;
        spin.BeginIdle(now);
        var limit = Stopwatch.Frequency * microseconds / 1_000_000;
        Assert.False(spin.IsOver(now + limit));
        Assert.True(spin.IsOver(now + limit + 1));
    }

    [Theory]
    [InlineData(NumaSpinMode.Adaptive)]
    [InlineData(NumaSpinMode.LowLatency)]
    [InlineData(NumaSpinMode.LowCpu)]
    public void Scheduler_AnyMode_RunsWhatComesOneByOne(NumaSpinMode mode)
    {
        var options = TestMachine.Options(TestMachine.Plan(2));
        options.Spin = mode;
        using var scheduler = new NumaTaskScheduler(options);
        for (var i = 0; i < 2000; i++)
        {
            scheduler.RunOnNode(0, static () => { }).WaitFor();
        }
    }

    [Fact]
    public void Constructor_NoSuchMode_IsRefused()
    {
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.Spin = (NumaSpinMode)7;
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => new NumaTaskScheduler(options));
        Assert.Contains("Adaptive, LowLatency, LowCpu", exception.Message, StringComparison.Ordinal);
    }

    private static void Wait(ref SpinPredictor spin, int microseconds, int times)
    {
        for (var i = 0; i < times; i++)
        {
            const long now = 1_000_000_000;
            spin.BeginIdle(now);
            spin.EndIdle(now + (Stopwatch.Frequency * microseconds / 1_000_000));
        }
    }
}
