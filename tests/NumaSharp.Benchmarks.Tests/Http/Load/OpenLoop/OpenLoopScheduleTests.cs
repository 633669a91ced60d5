using System.Diagnostics;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

namespace NumaSharp.Benchmarks.Tests.Http.Load.OpenLoop;

public sealed class OpenLoopScheduleTests
{
    private const long Start = 1000;
    private static readonly TimeSpan s_length = TimeSpan.FromSeconds(1);
    private static readonly long s_end = Start + Stopwatch.Frequency;

    [Fact]
    public void TryTake_BeforeTheStart_HasNothing() => Assert.False(Schedule().TryTake(Start - 1, out _));

    // Coordinated omission: a client that was held up still sends, and counts, what was due meanwhile.
    [Fact]
    public void TryTake_LongAfterTheEnd_HasEveryRequestWithTheMomentItWasDue()
    {
        var schedule = Schedule();
        var due = new List<long>();
        while (schedule.TryTake(s_end * 2, out var next))
        {
            due.Add(next);
        }

        Assert.Equal(Enumerable.Range(0, 100).Select(i => Start + (i * Stopwatch.Frequency / 100)), due);
        Assert.True(schedule.IsOver);
    }

    [Fact]
    public void TryTake_OnceTaken_WaitsForTheNext()
    {
        var schedule = Schedule();

        Assert.True(schedule.TryTake(Start, out _));
        Assert.False(schedule.TryTake(Start, out _));
        Assert.False(schedule.IsOver);
    }

    [Fact]
    public void Constructor_NoRate_Throws() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new OpenLoopSchedule(Start, s_length, 0));

    private static OpenLoopSchedule Schedule() => new(Start, s_length, requestsPerSecond: 100);
}
