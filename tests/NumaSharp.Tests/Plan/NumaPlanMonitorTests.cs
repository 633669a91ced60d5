using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

public sealed class NumaPlanMonitorTests : IDisposable
{
    private readonly ChangingMachine _machine = new("0-7", "0-1");
    private readonly FakeAffinity _affinity = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly ManualTime _time = new();
    private readonly StopLimit _stop = new(TimeProvider.System);
    private readonly CallLog<string> _applied = new();
    private readonly NumaPlanMonitor _monitor;

    public NumaPlanMonitorTests()
    {
        _monitor = new NumaPlanMonitor(
            NumaPlan.Create(_machine.Read()),
            new NumaPlatform(_machine, new SingleNodeMemoryProvider(), _affinity),
            _fallbacks,
            _time)
        {
            StopLimit = _stop,
        };
        _monitor.Follow(plan => _applied.Add(plan.Cpus.ToString()));
        _monitor.Changed += (_, change) => _applied.Add(change.ToString());
    }

    public void Dispose() => _monitor.Dispose();

    [Fact]
    public void Check_NothingChanged_AppliesNothing()
    {
        Assert.False(_monitor.Check());
        Assert.Empty(_applied);
        Assert.Equal(0, _monitor.ChangeCount);
    }

    [Fact]
    public void Check_CpusGone_AppliesAndThenRaisesChanged()
    {
        _machine.Become("0-3,6-7", "0-1");

        Assert.True(_monitor.Check());
        Assert.Equal(["0-3,6-7", "CPUs 4-5 gone; node 1 on CPUs 6-7 instead of 4-7"], _applied);
        Assert.Equal((1L, "0-3,6-7"), (_monitor.ChangeCount, _monitor.Plan.Cpus.ToString()));
        Assert.Equal("0-3,6-7", _monitor.Topology.AllowedCpus.ToString());
        Assert.False(_monitor.Check());
    }

    [Fact]
    public void Check_SameSignature_ReadsNoMore()
    {
        _machine.Signature = "a";
        _monitor.Check();
        var reads = _machine.Reads;
        _machine.Become("0-3", "0-1");

        Assert.False(_monitor.Check());
        Assert.Equal(reads, _machine.Reads);
        _machine.Signature = "b";
        Assert.True(_monitor.Check());
    }

    [Fact]
    public void Check_CannotRead_KeepsThePlanAndSaysItOnceUntilItCan()
    {
        _machine.Signature = "a";
        _machine.Failure = new NumaException("cpu/online is empty.");
        _monitor.Check();
        _monitor.Check();
        Assert.Equal("topology.reread", Assert.Single(_fallbacks.Current).Feature);
        Assert.Contains("cpu/online is empty.", _fallbacks.Current[0].Message, StringComparison.Ordinal);
        Assert.Equal(2, _fallbacks.ReportCount);

        _machine.Failure = null;
        _machine.Become("0-3", "0");
        Assert.True(_monitor.Check());
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Check_ProviderThrowsAnything_KeepsThePlan()
    {
        _machine.Failure = new InvalidTimeZoneException("broken plugin");
        Assert.False(_monitor.Check());
        Assert.Contains("broken plugin", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Check_CpusThatCannotBeUsed_AreReportedUntilTheyAreGone()
    {
        _machine.Become("0-11", "0-2");
        Assert.False(_monitor.Check());
        Assert.Equal(12, _monitor.Topology.AllowedCpus.Count);
        Assert.Equal("topology.unused", Assert.Single(_fallbacks.Current).Feature);

        _machine.Become("0-7", "0-1");
        Assert.False(_monitor.Check());
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Check_AFollowerThrows_TheOthersStillFollow()
    {
        var followed = 0;
        _monitor.Follow(static _ => throw new InvalidTimeZoneException("broken follower"));
        _monitor.Follow(_ => followed++);
        _monitor.Changed += static (_, _) => throw new InvalidTimeZoneException("broken handler");
        _monitor.Changed += (_, _) => followed++;
        _machine.Become("0-3", "0-1");

        Assert.True(_monitor.Check());
        Callbacks.Wait();
        Assert.Equal(2, followed);
        Assert.Equal("topology.apply", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Follow_AfterAChange_IsCalledAtOnce()
    {
        _machine.Become("0-3", "0-1");
        _monitor.Check();
        var received = new List<NumaPlan>();
        _monitor.Follow(received.Add);
        Assert.Same(_monitor.Plan, Assert.Single(received));
    }

    [Fact]
    public void Follow_AfterAChangeAndThrows_IsReportedAndStillFollows()
    {
        _machine.Become("0-3", "0-1");
        _monitor.Check();
        var calls = 0;
        _monitor.Follow(_ => throw new InvalidTimeZoneException($"broken follower {++calls}"));
        Assert.Equal("topology.apply", Assert.Single(_fallbacks.Current).Feature);

        _machine.Become("0-7", "0-1");
        _monitor.Check();
        Assert.Equal(2, calls);
    }

    [Fact]
    public void Follow_DisposedBeforeAChange_IsNotCalled()
    {
        var received = new List<NumaPlan>();
        var following = _monitor.Follow(received.Add);
        _machine.Become("0-3", "0-1");
        Assert.True(_monitor.Check());
        following.Dispose();
        following.Dispose();
        _machine.Become("0-5", "0-1");

        Assert.True(_monitor.Check());
        Assert.Single(received);
    }

    [Fact]
    public void Follow_DisposedByAnEarlierFollower_IsNotCalledByTheSameCheck()
    {
        IDisposable? later = null;
        var received = new List<NumaPlan>();
        _monitor.Follow(_ => later!.Dispose());
        later = _monitor.Follow(received.Add);
        _machine.Become("0-3", "0-1");

        Assert.True(_monitor.Check());
        Assert.Empty(received);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Follow_WhileAPlanIsApplied_GetsItOnceAndWaitsForNoFollower()
    {
        using var gate = new Gate();
        using var isCalled = new ManualResetEventSlim();
        var received = new ConcurrentQueue<string>();
        _monitor.Follow(_ => Hang(isCalled, gate));
        _monitor.Start(TimeSpan.FromDays(1));
        _machine.Become("0-3", "0-1");
        Wait.For(isCalled);

        Wait.For(Start(() => _monitor.Follow(plan => received.Enqueue(plan.Cpus.ToString()))));
        Assert.Equal(["0-3"], received);
        gate.Open();
        _machine.Become("0-7", "0-1");
        Wait.Until(() => received.Count > 1);
        Assert.Equal(["0-3", "0-7"], received);
    }

    [Fact]
    public void Follow_NewPlansWhileItIsCalled_GetsTheLastOneAfterwards()
    {
        using var gate = new Gate();
        using var isCalled = new ManualResetEventSlim();
        var received = new ConcurrentQueue<string>();
        _machine.Become("0-3", "0-1");
        _monitor.Check();
        var following = Start(() => _monitor.Follow(plan =>
        {
            received.Enqueue(plan.Cpus.ToString());
            Hang(isCalled, gate);
        }));
        Wait.For(isCalled);

        _machine.Become("0-5", "0-1");
        Assert.True(Wait.For(Task.Run(_monitor.Check, TestContext.Current.CancellationToken)));
        _machine.Become("0-6", "0-1");
        Assert.True(Wait.For(Task.Run(_monitor.Check, TestContext.Current.CancellationToken)));
        Assert.Equal(["0-3"], received);
        gate.Open();
        Wait.For(following);
        Assert.Equal(["0-3", "0-6"], received);
    }

    [Fact]
    public void Follow_AFollowerWaitsForAThreadThatFollows_IsNoDeadlock()
    {
        var received = new ConcurrentQueue<NumaPlan>();
        _monitor.Follow(_ => Wait.For(Start(() => _monitor.Follow(received.Enqueue))));
        _machine.Become("0-3", "0-1");

        Assert.True(_monitor.Check());
        Assert.Same(_monitor.Plan, Assert.Single(received));
        Assert.Empty(_fallbacks.Current);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Dispose_AFollowerOrHandlerHangs_IsLeftBehind(bool isFollower)
    {
        using var gate = new Gate();
        using var isCalled = new ManualResetEventSlim();
        if (isFollower)
        {
            _monitor.Follow(_ => Hang(isCalled, gate));
        }
        else
        {
            _monitor.Changed += (_, _) => Hang(isCalled, gate);
        }

        _monitor.Start(TimeSpan.FromDays(1));
        _machine.Become("0-3", "0-1");
        Wait.For(isCalled);
        _stop.Begin(TimeSpan.Zero);

        Wait.For(Start(_monitor.Dispose));
        Assert.False(gate.IsOpen);
    }

    [Fact]
    public void Check_RefusedPinsOfBefore_HoldNoLonger()
    {
        _fallbacks.Report(new NumaFallback("affinity.pin", "Refused.", new(0)));
        _machine.Become("0-3", "0-1");
        _monitor.Check();
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Check_AHandlerOfWithdrawnThrows_TheChangeIsApplied()
    {
        _fallbacks.Withdrawn += static (_, _) => throw new InvalidTimeZoneException("broken listener");
        _machine.Failure = new NumaException("cpu/online is empty.");
        _monitor.Check();
        _fallbacks.Report(new NumaFallback("affinity.pin", "Refused.", new(0)));
        _machine.Failure = null;
        _machine.Become("0-3", "0");

        Assert.True(_monitor.Check());
        Assert.Equal("0-3", _applied[0]);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Check_ChangesCannotBeWatched_StaysReportedWhenTheMachineIsRead()
    {
        _machine.WatchFailure = new NumaException("No watching.");
        _monitor.Start(TimeSpan.FromDays(1));
        Assert.False(_monitor.Check());
        Assert.Equal("topology.watch", Assert.Single(_fallbacks.Current).Feature);
        Assert.Contains("found by polling. No watching.", _fallbacks.Current[0].Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Dispose_ProviderThrowsWhenUnwatched_StillStops()
    {
        _machine.UnwatchFailure = new InvalidTimeZoneException("broken plugin");
        _monitor.Start(TimeSpan.FromDays(1));
        _monitor.Dispose();
        Assert.Contains("broken plugin", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => _monitor.Start(TimeSpan.FromDays(1)));
    }

    [Fact]
    public void Start_ProviderReportsAChange_ChecksAtOnce()
    {
        using var changed = new ManualResetEvent(false);
        _monitor.Changed += (_, _) => changed.Set();
        _monitor.Start(TimeSpan.FromDays(1));
        _machine.Become("0-3", "0-1");
        Wait.For(changed);

        _monitor.Dispose();
        Assert.False(_machine.IsWatched);
    }

    [Fact]
    public void Start_Polled_FindsTheChange()
    {
        _machine.WatchFailure = new NumaException("No watching.");
        using var changed = new ManualResetEvent(false);
        _monitor.Changed += (_, _) => changed.Set();
        _monitor.Start(TimeSpan.FromMinutes(1));
        _machine.Become("4-7", "0-1");
        _time.Tick();
        Wait.For(changed);
    }

    [Fact]
    public void SetInterval_Shorter_FindsTheChange()
    {
        using var changed = new ManualResetEvent(false);
        _monitor.Changed += (_, _) => changed.Set();
        _monitor.Start(TimeSpan.FromDays(1));
        _monitor.SetInterval(TimeSpan.Zero);
        _machine.Become("4-7", "0-1");
        _monitor.SetInterval(TimeSpan.FromMinutes(1));
        _time.Advance(TimeSpan.FromMinutes(1));
        Wait.For(changed);
    }

    [Fact]
    public void SetInterval_NotStartedOrOutsideItsRange_Throws()
    {
        Assert.Throws<InvalidOperationException>(() => _monitor.SetInterval(TimeSpan.FromDays(1)));
        _monitor.Start(TimeSpan.FromDays(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => _monitor.SetInterval(TimeSpan.FromMilliseconds(9)));
        Assert.Throws<ArgumentOutOfRangeException>(() => _monitor.SetInterval(TimeSpan.FromDays(2)));
        _monitor.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _monitor.SetInterval(TimeSpan.FromDays(1)));
    }

    [Fact]
    public void Start_MasksRewrittenFromOutside_AppliesThePlanAgain()
    {
        var applied = 0;
        _monitor.Follow(_ => Interlocked.Increment(ref applied));
        _monitor.Start(TimeSpan.FromMinutes(1));
        Wait.Until(() => !_affinity.Pinned.IsEmpty);
        var (thread, mask) = Assert.Single(_affinity.Pinned);
        Assert.Equal("0-6", mask.ToString());

        // It cannot distinguish masks rewritten before it started from later ones: the first check applies the plan.
        CheckTwice();
        var before = Volatile.Read(ref applied);
        CheckTwice();
        Assert.Equal(before, Volatile.Read(ref applied));

        _fallbacks.Report(new NumaFallback("affinity.pin", "Refused.", new(0)));
        _affinity.Pinned[thread] = CpuSet.ParseList("0-7");
        _time.Tick();
        Wait.Until(() => Volatile.Read(ref applied) > before && _affinity.Pinned[thread].Equals(mask));
        Assert.Equal(0, _monitor.ChangeCount);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Start_WrongTwiceOrTooLate_IsRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _monitor.Start(TimeSpan.FromMilliseconds(1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => _monitor.Start(TimeSpan.FromDays(2)));
        _monitor.Start(TimeSpan.FromDays(1));
        Assert.Throws<InvalidOperationException>(() => _monitor.Start(TimeSpan.FromDays(1)));
        _monitor.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _monitor.Start(TimeSpan.FromDays(1)));
    }

    private static Task Start(Action call) => Task.Factory.StartNew(
        call, TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static void Hang(ManualResetEventSlim isCalled, Gate gate)
    {
        isCalled.Set();
        gate.Pass();
    }

    // The second check begins after the first has ended.
    private void CheckTwice()
    {
        for (var i = 0; i < 2; i++)
        {
            var reads = _machine.Reads;
            _time.Tick();
            Wait.Until(() => _machine.Reads > reads);
        }
    }
}
