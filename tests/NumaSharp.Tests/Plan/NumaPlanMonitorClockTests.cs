using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>
/// The clock of the monitor's timer is the application's, and may wait for another thread that needs the monitor.
/// </summary>
public sealed class NumaPlanMonitorClockTests : IDisposable
{
    private readonly WaitingTime _time = new();
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
        _time.OnNextCall = () => TestThreads.Run(() => _monitor.Follow(static _ => { }));
        _monitor.Start(TimeSpan.FromDays(1));
        Assert.Null(_time.OnNextCall);
    }

    [Fact]
    public void SetInterval_TheClockWaitsForAnotherThreadsInterval_SetsThatAfterwards()
    {
        _monitor.Start(TimeSpan.FromDays(1));
        _time.OnNextCall = () => TestThreads.Run(() => _monitor.SetInterval(TimeSpan.Zero));
        _monitor.SetInterval(TimeSpan.FromHours(1));
        Assert.Equal([TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan], _time.Intervals);
    }

    [Fact]
    public void Dispose_TheClockWaitsForAnotherThread_HoldsNoLock()
    {
        _monitor.Start(TimeSpan.FromDays(1));
        _time.OnNextCall = () => TestThreads.Run(_monitor.Dispose);
        _monitor.Dispose();
        Assert.Null(_time.OnNextCall);
    }

    /// <summary>The system's, whose next call for a timer runs code of a test first.</summary>
    private sealed class WaitingTime : TimeProvider
    {
        public Action? OnNextCall { get; set; }

        /// <summary>What timers were set to after they were made, in order.</summary>
        public List<TimeSpan> Intervals { get; } = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Call();
            return new Timer(this, base.CreateTimer(callback, state, dueTime, period));
        }

        private void Call()
        {
            var call = OnNextCall;
            OnNextCall = null;
            call?.Invoke();
        }

        private sealed class Timer(WaitingTime owner, ITimer inner) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                owner.Call();
                owner.Intervals.Add(period);
                return inner.Change(dueTime, period);
            }

            public void Dispose()
            {
                owner.Call();
                inner.Dispose();
            }

            public ValueTask DisposeAsync()
            {
                Dispose();
                return ValueTask.CompletedTask;
            }
        }
    }
}
