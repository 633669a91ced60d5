using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Nodes whose workers are all stuck. None of this ends without spare workers.</summary>
public sealed class BlockingTests : IDisposable
{
    private readonly ManualResetEvent _gate = new(false);
    private readonly FakeAffinity _affinity = new();
    private readonly NumaTaskScheduler _scheduler;

    public BlockingTests()
    {
        var options = TestMachine.Options(TestMachine.Plan(2));
        options.Affinity = _affinity;
        _scheduler = new NumaTaskScheduler(options);
    }

    public void Dispose()
    {
        _gate.Set();
        _scheduler.Dispose();
        _gate.Dispose();
    }

    [Fact]
    public void Workers_AllBlockedOnAnEvent_AThirdItemRunsOnAPinnedSpare()
    {
        _scheduler.Occupy(0, _gate);

        // Counted while it runs: later the spare may have retired.
        var task = _scheduler.RunOnNode(
            0, () => (_affinity.Pinned[Environment.CurrentManagedThreadId], _scheduler.GetWorkerCount(0)));

        task.WaitFor();
        var (cpus, workers) = task.Result;
        Assert.Equal(_scheduler.Plan.Nodes[0].Cpus, cpus);
        Assert.InRange(workers, 3, 2 + WorkerGroup.MaxSpares);
    }

    [Fact]
    public void Workers_AllBusyWithoutWaiting_AThirdItemRuns()
    {
        var isReleased = false;
        for (var i = 0; i < 2; i++)
        {
            _scheduler.QueueOnNode(
                0,
                _ =>
                {
                    while (!Volatile.Read(ref isReleased))
                    {
                        Thread.SpinWait(100);
                    }
                },
                state: null);
        }

        _scheduler.QueueOnNode(0, _ => Volatile.Write(ref isReleased, true), state: null);

        Wait.Until(() => Volatile.Read(ref isReleased));
    }

    [Fact]
    public void Workers_WaitingForWorkInTheirOwnQueue_GetHelp()
    {
        // Not a task of this scheduler, so it cannot be run inline: each item waits for one that it queued itself.
        using var done = new CountdownEvent(10);
        for (var i = 0; i < 10; i++)
        {
            _scheduler.QueueOnNode(
                0,
                _ =>
                {
                    using var inner = new ManualResetEvent(false);
                    _scheduler.QueueOnNode(0, state => ((ManualResetEvent)state!).Set(), inner);
                    inner.WaitFor();
                    done.Signal();
                },
                state: null);
        }

        done.WaitFor();
    }

    [Fact]
    public void SyncOverAsync_ManyAtOnce_AllEnd()
    {
        var tasks = Enumerable.Range(0, 40).Select(_ => _scheduler.RunOnNode(0, () => WaitForYield().GetAwaiter().GetResult()));

        Task.WhenAll(tasks).WaitFor();

        static async Task<int> WaitForYield()
        {
            await Task.Yield();
            await Task.Yield();
            return 1;
        }
    }

    [Fact]
    public void Items_TwoHundredBlock_AnotherRuns()
    {
        for (var i = 0; i < 200; i++)
        {
            _scheduler.QueueOnNode(0, _ => _gate.WaitFor(), state: null);
        }

        _scheduler.RunOnNode(0, () => { }).WaitFor();

        // An item counts after its task has completed.
        Wait.Until(() => _scheduler.GetExecuted(0) == 1);
    }

    [Fact]
    public void Spares_ManyBlocked_AreBounded()
    {
        const int Limit = 2 + WorkerGroup.MaxSpares;
        using var entered = new CountdownEvent(Limit);
        for (var i = 0; i < Limit + 20; i++)
        {
            _scheduler.QueueOnNode(
                0,
                _ =>
                {
                    if (!entered.IsSet)
                    {
                        entered.Signal();
                    }

                    _gate.WaitFor();
                },
                state: null);
        }

        entered.WaitFor();
        Assert.Equal(Limit, _scheduler.GetWorkerCount(0));
        Assert.Equal(20, _scheduler.GetQueueLength(0));
        _gate.Set();
        Wait.Until(() => _scheduler.GetExecuted(0) == Limit + 20);
    }

    [Fact]
    public void Spares_NothingBlockedAnyMore_RetireAndTheMonitorSleeps()
    {
        _scheduler.Occupy(0, _gate);
        _scheduler.RunOnNode(0, () => { }).WaitFor();

        _gate.Set();

        Wait.Until(() => _scheduler.GetWorkerCount(0) == 2);
        Wait.Until(() => _scheduler.Monitor.IsAsleep);
        Wait.Until(() => _scheduler.GetExecuted(0) == 3);
        _scheduler.RunOnNode(0, () => { }).WaitFor();
    }

    [Fact]
    public void Spares_NothingBlockedButWorkForAll_RetireToo()
    {
        _scheduler.Occupy(0, _gate);
        _scheduler.RunOnNode(0, () => { }).WaitFor();
        var stop = false;
        void Again(object? self)
        {
            Thread.SpinWait(1000);
            if (!Volatile.Read(ref stop))
            {
                _scheduler.QueueOnNode(0, Again, state: null);
            }
        }

        for (var i = 0; i < 16; i++)
        {
            _scheduler.QueueOnNode(0, Again, state: null);
        }

        _gate.Set();

        Wait.Until(() => _scheduler.GetWorkerCount(0) == 2);
        Volatile.Write(ref stop, true);
    }
}
