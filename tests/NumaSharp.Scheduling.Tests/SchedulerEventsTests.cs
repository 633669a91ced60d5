using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

[Collection(nameof(ProcessWide))]
public sealed class SchedulerEventsTests
{
    [Fact]
    public void Stolen_FromADistantNode_TellsWhoseAndHowFar()
    {
        using var listener = new Listener(EventLevel.Verbose, SchedulerEvents.Keywords.Steals);
        using var scheduler = TestMachine.Start(
            NumaSchedulingPolicy.LocalityFirst, 0, 0, 0, 0, 0, 1, 0, 1);
        using var gate = new ManualResetEvent(false);
        scheduler.Occupy(5, gate);

        scheduler.RunOnNode(5, static () => { }).WaitFor();

        Wait.Until(() => listener.Has("Stolen", 7, 5, 30));
        Wait.Until(() => scheduler.GetStolenByDistance(7)[30] >= 1);
        gate.Set();
    }

    [Fact]
    public void Stolen_TheListenerHangs_TheThiefsNodeWakesItsOtherWorker()
    {
        var options = TestMachine.Options(TestMachine.Plan(1, 2), NumaSchedulingPolicy.LocalityFirst);
        options.CompensateBlocking = false;
        options.MonitorPauseMilliseconds = Timeout.Infinite;
        using var scheduler = new NumaTaskScheduler(options);
        using var held = new ManualResetEvent(false);
        scheduler.WaitForIdle();
        scheduler.Occupy(0, held);
        using var isTold = new ManualResetEventSlim();
        using var gate = new Gate();
        using var listener = new Listener(EventLevel.Verbose, SchedulerEvents.Keywords.Steals, () =>
        {
            isTold.Set();
            gate.Pass();
        });
        var stolen = scheduler.RunOnNode(0, static () => { });
        Wait.For(isTold);

        scheduler.RunOnNode(1, static () => { }).WaitFor();
        Assert.False(stolen.IsCompleted);
        gate.Open();
        stolen.WaitFor();
        held.Set();
    }

    [Fact]
    public void SpareStarted_BlockedNode_TellsItsWorkers()
    {
        using var listener = new Listener(EventLevel.Informational, EventKeywords.None);
        using var scheduler = TestMachine.Start(
            NumaSchedulingPolicy.NodeStrict, compensate: true, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        using var gate = new ManualResetEvent(false);
        scheduler.Occupy(9, gate);

        // Whichever of the two is not occupied runs it; on a busy machine there may be more.
        var spares = scheduler.RunOnNode(9, () => scheduler.GetSpareCount(9));
        spares.WaitFor();

        Assert.InRange(spares.Result, 1, WorkerGroup.MaxSpares);
        Wait.Until(() => listener.Has("SpareStarted", 9, 2));
        gate.Set();
    }

    [Fact]
    public void SpareStarted_TheListenerHangs_TheNextSpareStartsAndTheEndDoesNotWait()
    {
        var stop = new StopLimit(TimeProvider.System);
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.StopLimit = stop;
        using var isTold = new ManualResetEventSlim();
        using var gate = new Gate();
        using var listener = new Listener(EventLevel.Informational, EventKeywords.None, () =>
        {
            isTold.Set();
            gate.Pass();
        });
        var scheduler = new NumaTaskScheduler(options);
        _ = scheduler.RunOnNode(0, gate.Pass);
        _ = scheduler.RunOnNode(0, gate.Pass);
        Wait.For(isTold);

        // The worker and its spare are blocked: another one runs it.
        scheduler.RunOnNode(0, static () => { }).WaitFor();
        stop.Begin(TimeSpan.Zero);
        Wait.For(Task.Factory.StartNew(scheduler.Dispose, TaskCreationOptions.LongRunning));
        Assert.False(gate.IsOpen);
        gate.Open();
        Callbacks.Wait();
    }

    [Fact]
    public void Waited_Sample_TellsItsNode()
    {
        using var listener = new Listener(EventLevel.Verbose, SchedulerEvents.Keywords.Waits);
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 0, 0, 0, 1);
        for (var i = 0; i < NumaTaskScheduler.SampleInterval; i++)
        {
            scheduler.QueueOnNode(3, static _ => { }, state: null);
        }

        Wait.Until(() => listener.Any("Waited", 3L));
    }

    [Fact]
    public void GetStolenByDistance_EachPolicy_HasTheDistancesThatItAllows()
    {
        using var local = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 1, 1, 1, 0);
        using var strict = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1, 1, 0);

        Assert.Equal([10, 20, 30], local.GetStolenByDistance(0).Keys.Order());
        Assert.Equal([10, 20], local.GetStolenByDistance(1).Keys.Order());
        Assert.Equal([10], strict.GetStolenByDistance(0).Keys);
        Assert.Empty(strict.GetStolenByDistance(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => local.GetStolenByDistance(4));
        Assert.Throws<ArgumentOutOfRangeException>(() => local.GetSpareCount(4));
    }

    private sealed class Listener : EventListener
    {
        private readonly ConcurrentQueue<(string Name, object?[] Payload)> _events = new();
        private readonly Action? _onEvent;

        public Listener(EventLevel level, EventKeywords keywords, Action? onEvent = null)
        {
            _onEvent = onEvent;
            EnableEvents(SchedulerEvents.Log, level, keywords);
        }

        public bool Has(string name, params object[] payload) =>
            _events.Any(each => each.Name == name && each.Payload.SequenceEqual(payload));

        public bool Any(string name, object first) => _events.Any(each => each.Name == name && Equals(each.Payload[0], first));

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            _events.Enqueue((eventData.EventName!, [.. eventData.Payload!]));
            _onEvent?.Invoke();
        }
    }
}
