using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Which worker runs what. Without compensation: each node has exactly the workers of its plan.</summary>
public sealed class PolicyTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly ManualResetEvent _gate = new(false);
    private readonly List<NumaTaskScheduler> _schedulers = [];

    public void Dispose()
    {
        _gate.Set();
        _schedulers.ForEach(static scheduler => scheduler.Dispose());
        _gate.Dispose();
    }

    [Fact]
    public void NodeStrict_NodeBusyAndOtherIdle_WaitsForItsNode()
    {
        var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 2, 2);
        scheduler.Occupy(0, _gate);

        var task = scheduler.RunOnNode(0, () => NumaTaskScheduler.CurrentNodeIndex);
        for (var i = 0; i < 100; i++)
        {
            scheduler.RunOnNode(1, () => { }).WaitFor();
        }

        Assert.False(task.IsCompleted);
        Assert.Equal(1, scheduler.GetQueueLength(0));
        _gate.Set();
        task.WaitFor();
        Assert.Equal(0, task.Result);
        Assert.Equal(0, scheduler.GetStolen(0) + scheduler.GetStolen(1));
    }

    [Theory]
    [InlineData(NumaSchedulingPolicy.LocalityFirst)]
    [InlineData(NumaSchedulingPolicy.Spread)]
    public void Stealing_NodeBusyAndOthersIdle_TheNearestTakesIt(NumaSchedulingPolicy policy)
    {
        var scheduler = Start(policy, 1, 1, 1, 1);
        scheduler.WaitForIdle();
        scheduler.Occupy(1, _gate);

        // Nodes 0 and 2 are equally near; by rule the lower id comes first.
        var first = scheduler.RunOnNode(1, () => NumaTaskScheduler.CurrentNodeIndex);
        first.WaitFor();
        Assert.Equal(0, first.Result);

        scheduler.WaitForIdle(0);
        scheduler.Occupy(0, _gate);
        var second = scheduler.RunOnNode(1, () => NumaTaskScheduler.CurrentNodeIndex);
        second.WaitFor();
        Assert.Equal(2, second.Result);
        Assert.Equal((1, 1), (scheduler.GetStolen(0), scheduler.GetStolen(2)));
    }

    [Fact]
    public void Stealing_WorkOnSeveralNodes_TakesTheNearestFirst()
    {
        var scheduler = Start(NumaSchedulingPolicy.LocalityFirst, 1, 1, 1);
        using var gate2 = new ManualResetEvent(false);
        scheduler.Occupy(2, gate2);
        scheduler.Occupy(1, _gate);
        scheduler.Occupy(0, _gate);
        using var done = new CountdownEvent(6);
        var order = new ConcurrentQueue<(int From, int On)>();
        for (var i = 0; i < 6; i++)
        {
            var from = i % 3;
            scheduler.QueueOnNode(
                from,
                _ =>
                {
                    order.Enqueue((from, NumaTaskScheduler.CurrentNodeIndex));
                    done.Signal();
                },
                state: null);
        }

        gate2.Set();
        done.WaitFor();

        Assert.Equal([(2, 2), (2, 2), (1, 2), (1, 2), (0, 2), (0, 2)], order);
    }

    [Fact]
    public void Stealing_WorkersOwnQueue_IsTakenByItsNodeAndByOthers()
    {
        var scheduler = Start(NumaSchedulingPolicy.LocalityFirst, 2, 1);
        using var far = new CountdownEvent(1);
        using var near = new CountdownEvent(1);

        // The worker blocks with work in its own queue: the other worker of the node runs it, and once that blocks too, node 1.
        scheduler.QueueOnNode(
            0,
            _ =>
            {
                scheduler.QueueOnNode(
                    0,
                    _ =>
                    {
                        near.Signal();
                        _gate.WaitFor();
                    },
                    state: null);
                near.WaitFor();
                scheduler.QueueOnNode(0, _ => far.Signal(), state: null);
                _gate.WaitFor();
            },
            state: null);

        far.WaitFor();
    }

    [Fact]
    public void Spread_TasksWithoutNode_GoToTheNodesInTurn()
    {
        var scheduler = Start(NumaSchedulingPolicy.Spread, 1, 1, 1);
        OccupyAll(scheduler);

        var tasks = Enumerable.Range(0, 12)
            .Select(_ => Task.Factory.StartNew(() => { }, default, TaskCreationOptions.None, scheduler)).ToArray();

        Assert.All(Enumerable.Range(0, 3), node => Assert.Equal(4, scheduler.GetQueueLength(node)));
        _gate.Set();
        Task.WhenAll(tasks).WaitFor();
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(3, 1)]
    [InlineData(99, 0)]
    public void TasksWithoutNode_FromOutside_GoToTheCallersNode(int callersCpu, int node)
    {
        var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 2, 2);
        _affinity.CurrentCpu = callersCpu;
        OccupyAll(scheduler);

        var task = Task.Factory.StartNew(
            () => NumaTaskScheduler.CurrentNodeIndex, default, TaskCreationOptions.None, scheduler);

        Assert.Equal(1, scheduler.GetQueueLength(node));
        _gate.Set();
        task.WaitFor();
        Assert.Equal(node, task.Result);
    }

    [Fact]
    public void TasksWithoutNode_FromAWorker_StayOnItsNode()
    {
        var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 1, 1);

        var task = scheduler.RunOnNode(
            1,
            async () => await Task.Factory.StartNew(
                () => NumaTaskScheduler.CurrentNodeIndex, default, TaskCreationOptions.None, scheduler));

        task.WaitFor();
        Assert.Equal(1, task.Result);
    }

    [Fact]
    public void NodeWithoutCpus_Work_RunsOnTheNearestNodeWithSome()
    {
        var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 1, 1, 0);

        var byIndex = scheduler.RunOnNode(2, () => NumaTaskScheduler.CurrentNodeIndex);
        var byId = Task.Factory.StartNew(
            () => NumaTaskScheduler.CurrentNodeIndex, default, TaskCreationOptions.None, scheduler.ForNode(new(2)));

        byIndex.WaitFor();
        byId.WaitFor();
        Assert.Equal((1, 1), (byIndex.Result, byId.Result));
        Assert.Equal((0, 0, 0), (scheduler.GetWorkerCount(2), scheduler.GetExecuted(2), scheduler.GetQueueLength(2)));
        Wait.Until(() => scheduler.GetExecuted(1) == 2);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void ForNode_NodeThatThePlanLacks_IsTheNearestAndSaidOnce()
    {
        var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 1, 1);

        Assert.Same(scheduler.ForNode(new(1)), scheduler.ForNode(new(7)));
        Assert.Same(scheduler.ForNode(new(7)), scheduler.ForNode(new(7)));

        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("scheduler.node", 7), (fallback.Feature, fallback.NodeId?.Value));
        Assert.StartsWith("Node 7 is not in the plan: node 1 runs its work.", fallback.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => scheduler.ForNode(new(-1)));
    }

    [Fact]
    public void Statistics_NoSuchNode_Throw()
    {
        var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 1);

        Assert.Throws<ArgumentOutOfRangeException>(() => scheduler.GetQueueLength(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => scheduler.GetExecuted(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => scheduler.GetStolen(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => scheduler.GetWorkerCount(1));
    }

    [Fact]
    public void Constructor_WrongOptions_Throws()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Start((NumaSchedulingPolicy)7, 1));
        Assert.Throws<ArgumentNullException>(() => new NumaTaskScheduler(null!));
    }

    [Theory]
    [InlineData(-2)]
    [InlineData(24 * 60 * 60 + 1)]
    public void Constructor_DrainTimeoutOutOfRange_SaysWhatIsAllowed(int seconds)
    {
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.DrainTimeout = TimeSpan.FromSeconds(seconds);

        Assert.StartsWith(
            "DrainTimeout must be from 0 to 1 day, or Timeout.InfiniteTimeSpan.",
            Assert.Throws<ArgumentOutOfRangeException>(() => new NumaTaskScheduler(options)).Message,
            StringComparison.Ordinal);
    }

    private NumaTaskScheduler Start(NumaSchedulingPolicy policy, params int[] cpusPerNode)
    {
        var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = TestMachine.Plan(cpusPerNode),
            Policy = policy,
            Affinity = _affinity,
            Fallbacks = _fallbacks,
            CompensateBlocking = false,

            // Nothing is ever overdue: only then does the nearest idle node alone decide, however late its thread gets a CPU.
            MonitorPauseMilliseconds = Timeout.Infinite,
        });
        _schedulers.Add(scheduler);
        return scheduler;
    }

    private void OccupyAll(NumaTaskScheduler scheduler)
    {
        for (var node = scheduler.Plan.Nodes.Count - 1; node >= 0; node--)
        {
            scheduler.Occupy(node, _gate);
        }
    }
}
