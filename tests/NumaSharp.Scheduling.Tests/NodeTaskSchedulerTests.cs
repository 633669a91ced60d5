using System.Reflection;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>The contract of TaskScheduler, without compensation: what would deadlock must not.</summary>
public sealed class NodeTaskSchedulerTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler;
    private readonly TaskScheduler _node;
    private readonly FakeAffinity _affinity = new();

    public NodeTaskSchedulerTests()
    {
        var options = TestMachine.Options(TestMachine.Plan(1, 1));
        options.Affinity = _affinity;
        options.CompensateBlocking = false;
        _scheduler = new NumaTaskScheduler(options);
        _node = _scheduler.ForNode(new(0));
    }

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public void Wait_OnTheOnlyWorkerForATaskOfItsNode_RunsItInline()
    {
        var task = _scheduler.RunOnNode(0, () =>
        {
            var worker = Environment.CurrentManagedThreadId;
            return Start(() => Environment.CurrentManagedThreadId == worker, _node).Result;
        });

        task.WaitFor();
        Assert.True(task.Result);
    }

    [Fact]
    public void Wait_OnAWorkerForTheTaskItQueuedLast_TakesItOutOfTheQueue()
    {
        var task = _scheduler.RunOnNode(0, () =>
        {
            var first = Start(static () => 1, _node);
            var last = Start(static () => 2, _scheduler);
            return (last.Result, _scheduler.GetQueueLength(0), _scheduler.GetExecuted(0), first.Result);
        });

        task.WaitFor();
        Assert.Equal((2, 1, 1, 1), task.Result);
        Wait.Until(() => _scheduler.GetExecuted(0) == 3);
        Assert.Equal(0, _scheduler.GetQueueLength(0));
    }

    [Fact]
    public void Wait_OnAWorkerForATaskOfTheWholeScheduler_RunsItInline()
    {
        var task = _scheduler.RunOnNode(1, () => Start(() => NumaTaskScheduler.CurrentNodeIndex, _scheduler).Result);

        task.WaitFor();
        Assert.Equal(1, task.Result);
    }

    [Fact]
    public void Wait_OnAWorkerForAnotherNode_RunsItThere()
    {
        var task = _scheduler.RunOnNode(1, () => Start(() => NumaTaskScheduler.CurrentNodeIndex, _node).Result);

        task.WaitFor();
        Assert.Equal(0, task.Result);
    }

    [Fact]
    public void RunSynchronously_OutsideTheWorkers_RunsOnAWorker()
    {
        var task = new Task<int>(static () => NumaTaskScheduler.CurrentNodeIndex);

        task.RunSynchronously(_scheduler.ForNode(new(1)));

        Assert.Equal(1, task.Result);
    }

    [Fact]
    public void QueueTask_FromItsWorker_IsNewestFirstUnlessFairnessIsPreferred()
    {
        var order = new List<int>();
        var tasks = new List<Task>();

        var outer = _scheduler.RunOnNode(0, () =>
        {
            for (var i = 0; i < 6; i++)
            {
                var number = i;
                var fair = i is 1 or 3 ? TaskCreationOptions.PreferFairness : TaskCreationOptions.None;
                tasks.Add(Task.Factory.StartNew(() => order.Add(number), default, fair, _node));
            }
        });
        outer.WaitFor();
        Task.WhenAll(tasks).WaitFor();

        Assert.Equal([5, 4, 2, 0, 1, 3], order);
    }

    [Fact]
    public void QueueTask_LongRunning_HasAPinnedThreadOfItsOwn()
    {
        using var gate = new ManualResetEvent(false);
        _scheduler.Occupy(1, gate);

        var task = Task.Factory.StartNew(
            () => (Thread.CurrentThread.Name, _affinity.Pinned[Environment.CurrentManagedThreadId]),
            default,
            TaskCreationOptions.LongRunning,
            _scheduler.ForNode(new(1)));

        task.WaitFor();
        Assert.Equal(("numa1-long", _scheduler.Plan.Nodes[1].Cpus), task.Result);
        gate.Set();
    }

    [Fact]
    public void MaximumConcurrencyLevel_OfNodeAndWhole_IsTheNumberOfWorkers()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 3, 2);

        Assert.Equal(5, scheduler.MaximumConcurrencyLevel);
        Assert.Equal(2, scheduler.ForNode(new(1)).MaximumConcurrencyLevel);
    }

    [Fact]
    public void GetScheduledTasks_QueuedHereAndElsewhere_GivesTheSchedulersOwn()
    {
        using var gate = new ManualResetEvent(false);
        using var queued = new ManualResetEvent(false);
        Task? local = null;
        _scheduler.QueueOnNode(
            0,
            _ =>
            {
                local = Start(() => 0, _node);
                queued.Set();
                gate.WaitFor();
            },
            state: null);
        queued.WaitFor();
        var outer = Start(() => 0, _node);
        var whole = Start(() => 0, _scheduler);

        Assert.Equal(new HashSet<Task> { local!, outer }, ScheduledOn(_node));
        Assert.Equal([whole], ScheduledOn(_scheduler));
        gate.Set();
        Task.WhenAll(outer, whole).WaitFor();
    }

    [Fact]
    public void Parallel_OnANode_RunsEveryIterationThere()
    {
        var nodes = new int[1000];

        Task.Factory.StartNew(
            () => Parallel.For(
                0, nodes.Length, new ParallelOptions { TaskScheduler = _scheduler.ForNode(new(1)) },
                i => nodes[i] = NumaTaskScheduler.CurrentNodeIndex),
            default,
            TaskCreationOptions.None,
            _scheduler.ForNode(new(1))).WaitFor();

        Assert.All(nodes, static node => Assert.Equal(1, node));
    }

    [Fact]
    public void NestedSchedulers_WaitingForEachOther_DoNotDeadlockWhileAWorkerIsFree()
    {
        using var other = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 1);

        var task = _scheduler.RunOnNode(
            0, () => other.RunOnNode(0, () => _scheduler.RunOnNode(1, () => NumaTaskScheduler.CurrentNodeIndex).Result).Result);

        task.WaitFor();
        Assert.Equal(1, task.Result);
    }

    private static HashSet<Task> ScheduledOn(TaskScheduler scheduler)
    {
        var method = typeof(TaskScheduler).GetMethod("GetScheduledTasks", BindingFlags.Instance | BindingFlags.NonPublic)!;
        return [.. (IEnumerable<Task>)method.Invoke(scheduler, null)!];
    }

    private static Task<T> Start<T>(Func<T> work, TaskScheduler scheduler) =>
        Task.Factory.StartNew(work, default, TaskCreationOptions.None, scheduler);
}
