using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Hosting.Memory;

namespace NumaSharp.Hosting.Tests.Memory;

public sealed class PressureTrimmerTests : IDisposable
{
    private const long MiB = 1 << 20;
    private const int Second = 1_000_000;

    private readonly ManualTime _time = new();
    private readonly List<(string Reason, long Bytes)> _said = [];
    private readonly NumaFallbacks _fallbacks = new();
    private readonly PressureTrimmer _trimmer;
    private MemoryPressure? _pressure = new(7, 1_000_000);
    private Func<long> _trim = static () => 8 * MiB;
    private long _other;

    public PressureTrimmerTests()
    {
        _trimmer = new PressureTrimmer(
            () => _pressure, [() => _trim(), () => _other], _time, _fallbacks, (reason, bytes) => _said.Add((reason, bytes)));
        _trimmer.Start();
    }

    public void Dispose() => _trimmer.Dispose();

    [Fact]
    public void Tick_NothingWasShortSinceTheStart_GivesNothingBack()
    {
        _time.TickEach(10);
        Assert.Equal((0, 0), (_trimmer.Trims, _trimmer.ReleasedBytes));
    }

    // A service that reads files meets its limit all the time: the kernel drops other pages of files, and no task waits.
    [Theory]
    [InlineData(0, Second / 10, 1)]
    [InlineData(0, (Second / 10) - 1, 0)]
    [InlineData(1000, Second / 100, 1)]
    [InlineData(1000, (Second / 100) - 1, 0)]
    public void Tick_TasksWaited_GivesBackIfTheyWaitedForLong(int limits, int microseconds, int trims)
    {
        Wait(limits, microseconds);
        _time.Tick();
        Assert.Equal(trims, _trimmer.Trims);
        Assert.Equal(trims * 8 * MiB, _trimmer.ReleasedBytes);
    }

    [Fact]
    public void Tick_LookedAtLate_CountsForTheTimeInBetween()
    {
        _pressure = _pressure!.Value with { StalledMicroseconds = _pressure.Value.StalledMicroseconds + (Second / 10) };
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(0, _trimmer.Trims);
    }

    [Fact]
    public void Tick_ShortAllTheTime_GivesBackLessAndLessOften()
    {
        var at = new List<int>();
        for (var second = 1; second <= 260; second++)
        {
            var before = _trimmer.Trims;
            Wait(limits: 1, Second / 2);
            if (_trimmer.Trims > before)
            {
                at.Add(second);
            }
        }

        Assert.Equal([1, 6, 16, 36, 76, 136, 196, 256], at);
        Assert.Single(_said);
    }

    [Fact]
    public void Tick_ShortAgainAfterAMinute_SaysSoAgain()
    {
        Wait(limits: 3, Second / 2);
        Wait(limits: 3, Second / 2);
        Assert.Equal(1, _trimmer.Trims);
        _time.TickEach(60);
        Wait(limits: 3, Second / 2);
        Assert.Equal(2, _trimmer.Trims);
        Assert.Equal(2, _said.Count);
        Assert.Equal(("tasks waited 500 ms for memory, and 3 times at a limit of the cgroup", 8 * MiB), _said[1]);
    }

    [Fact]
    public void Tick_CountsThatCannotBeRead_AreNoPressureAndNoneAfterwards()
    {
        var last = _pressure;
        _pressure = null;
        _time.TickEach(3);
        _pressure = last;
        _time.Tick();
        Assert.Equal(0, _trimmer.Trims);
    }

    [Fact]
    public void Tick_AProviderThrows_IsReportedAndTheOthersGiveBack()
    {
        _trim = static () => throw new InvalidOperationException("broken");
        _other = MiB;
        Wait(limits: 1, Second / 2);
        Assert.Contains("broken", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
        Assert.Equal(("tasks waited 500 ms for memory, and 1 times at a limit of the cgroup", MiB), Assert.Single(_said));
        for (var second = 0; second < 5; second++)
        {
            Wait(limits: 1, Second / 2);
        }

        Assert.Equal((2, 2 * MiB), (_trimmer.Trims, _trimmer.ReleasedBytes));
    }

    [Fact]
    public void Start_NothingToRead_HasNoTimer()
    {
        using var trimmer = new PressureTrimmer(
            static () => null, [], new ManualTime { MaxTimers = 0 }, _fallbacks, static (_, _) => { });
        trimmer.Start();
    }

    [Fact]
    public void Dispose_Started_LeavesNoTimer()
    {
        _trimmer.Dispose();
        Assert.Equal(0, _time.TimerCount);
    }

    private void Wait(int limits, int microseconds)
    {
        var now = _pressure!.Value;
        _pressure = new MemoryPressure(now.Limits + limits, now.StalledMicroseconds + microseconds);
        _time.Tick();
    }
}
