using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>
/// The clock of the monitor's timer is the application's, and may wait for another thread that needs the monitor.
/// </summary>
public sealed class NumaPlanMonitorClockTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly NumaPlanMonitor _monitor;

    public NumaPlanMonitorClockTests()
    {
        var machine = new ChangingMachine("0-7", "0-1");
        _monitor = new NumaPlanMonitor(
            NumaPlan.Create(machine.Read()),
            new NumaPlatform(machine, new SingleNodeMemoryProvider(), new FakeAffinity()),
            new NumaFallbacks(),
            _time);
    }

    public void Dispose() => _monitor.Dispose();

    [Fact]
    public void Start_TheClockWaitsForAnotherThread_HoldsNoLock()
    {
        _time.OnNextTimerCall = () => TestThreads.Run(() => _monitor.Follow(static _ => { }));
        _monitor.Start(TimeSpan.FromDays(1));
        Assert.Null(_time.OnNextTimerCall);
    }

    [Fact]
    public void SetInterval_TheClockWaitsForAnotherThreadsInterval_SetsThatAfterwards()
    {
        _monitor.Start(TimeSpan.FromDays(1));
        _time.OnNextTimerCall = () => TestThreads.Run(() => _monitor.SetInterval(TimeSpan.Zero));
        _monitor.SetInterval(TimeSpan.FromHours(1));
        Assert.Equal([TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan], _time.Changes);
    }

    [Fact]
    public void Dispose_TheClockWaitsForAnotherThread_HoldsNoLock()
    {
        _monitor.Start(TimeSpan.FromDays(1));
        _time.OnNextTimerCall = () => TestThreads.Run(_monitor.Dispose);
        _monitor.Dispose();
        Assert.Null(_time.OnNextTimerCall);
    }
}
