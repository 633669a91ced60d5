using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests.Model;

/// <summary>A scheduler, and what each step must come to: how often every item runs, and where.</summary>
internal sealed class ModelledScheduler : IDisposable
{
    private static readonly string[] s_machines = ["0-1,4-5,8", "0,4", "0-1", "8"];

    private readonly NumaTaskScheduler _scheduler;
    private readonly NumaSchedulingPolicy _policy;
    private readonly List<ModelledItem> _items = [];
    private readonly List<Task> _tasks = [];
    private int _thrown;
    private int _reported;
    private bool _isDisposed;

    public ModelledScheduler(NumaSchedulingPolicy policy, bool compensate)
    {
        _policy = policy;
        var options = TestMachine.Options(NumaPlan.Create(TestMachines.ReadAllowed(s_machines[0], "0-2")), policy);
        options.CompensateBlocking = compensate;
        options.DrainTimeout = Wait.Limit;
        options.UnhandledException = _ => Interlocked.Increment(ref _reported);
        _scheduler = new NumaTaskScheduler(options);
    }

    public void Do(SchedulerStep step)
    {
        switch (step.Action)
        {
            case SchedulerAction.Apply:
                var machine = s_machines[step.Count % s_machines.Length];
                _scheduler.Apply(_scheduler.Plan.Adapt(TestMachines.ReadAllowed(machine, "0-2")).Plan);
                break;
            case SchedulerAction.WaitForAll:
                WaitForAll();
                break;
            case SchedulerAction.Dispose:
                _scheduler.Dispose();
                _isDisposed = true;
                break;
            default:
                for (var i = 0; i < step.Count; i++)
                {
                    QueueOne(step.Action, step.Node);
                }

                break;
        }
    }

    /// <summary>Ends it, and compares.</summary>
    public void AssertAllRanOnce()
    {
        _scheduler.Dispose();
        WaitForAll();
        Assert.Equal(_thrown, Volatile.Read(ref _reported));
        lock (_items)
        {
            Assert.All(_items, static item => Assert.Equal(item.Expected, item.Ran));
            Assert.All(_items, item => Assert.True(item.WasInPlace || _policy != NumaSchedulingPolicy.NodeStrict));
        }
    }

    public void Dispose() => _scheduler.Dispose();

    private void QueueOne(SchedulerAction action, int node)
    {
        // Tasks are taken to the end and beyond, as continuations must be; other items are refused.
        var isTask = action is SchedulerAction.FairTask or SchedulerAction.TaskWithoutNode or SchedulerAction.LongTask;
        if (!isTask && _isDisposed)
        {
            Assert.Throws<ObjectDisposedException>(() => Queue(action, node, new ModelledItem()));
            return;
        }

        var anywhere = _isDisposed || action is SchedulerAction.TaskWithoutNode or SchedulerAction.LongTask;
        Queue(action, node, Add(anywhere ? -1 : node));
    }

    private ModelledItem Add(int node)
    {
        var item = new ModelledItem(node);
        lock (_items)
        {
            _items.Add(item);
        }

        return item;
    }

    private void Queue(SchedulerAction action, int node, ModelledItem item)
    {
        var factory = new TaskFactory(_scheduler.ForNode(new(node)));
        switch (action)
        {
            case SchedulerAction.Callback:
                _scheduler.QueueOnNode(node, static state => ((ModelledItem)state!).Execute(), item);
                break;
            case SchedulerAction.Item:
                _scheduler.QueueOnNode(node, item);
                break;
            case SchedulerAction.Task:
                _tasks.Add(_scheduler.RunOnNode(node, item.Execute));
                break;
            case SchedulerAction.FairTask:
                _tasks.Add(factory.StartNew(item.Execute, TaskCreationOptions.PreferFairness));
                break;
            case SchedulerAction.TaskWithoutNode:
                _tasks.Add(Task.Factory.StartNew(item.Execute, default, TaskCreationOptions.None, _scheduler));
                break;
            case SchedulerAction.LongTask:
                _tasks.Add(factory.StartNew(item.Execute, TaskCreationOptions.LongRunning));
                break;
            case SchedulerAction.AsyncTask:
                _tasks.Add(_scheduler.RunOnNode(node, async () =>
                {
                    await Task.Yield();
                    item.Execute();
                }));
                break;
            case SchedulerAction.CancelledTask:
                QueueCancelled(node, item);
                break;
            case SchedulerAction.Throw:
                _scheduler.QueueOnNode(node, _ => throw item.ExecuteAndFail(), state: null);
                _thrown++;
                break;
            case SchedulerAction.QueueMore:
                _scheduler.QueueOnNode(node, _ => QueueMore(item, node), state: null);
                break;
            case SchedulerAction.Block:
                _scheduler.QueueOnNode(node, _ => item.Block(), state: null);
                break;
            case SchedulerAction.WaitForInner:
                _tasks.Add(_scheduler.RunOnNode(node, () => factory.StartNew(item.Execute).Wait()));
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(action), action, "is not one that queues");
        }
    }

    // From inside; a chain of three, each on the next node.
    private void QueueMore(ModelledItem item, int node)
    {
        for (var next = (node + 1) % 3; next != node; next = (next + 1) % 3)
        {
            _scheduler.QueueOnNode(next, Add(-1));
        }

        item.Execute();
    }

    private void QueueCancelled(int node, ModelledItem item)
    {
        using var source = new CancellationTokenSource();
        var task = _scheduler.RunOnNode(node, item.Execute, source.Token);
        source.Cancel();
        Wait.Until(() => task.IsCompleted);
        item.Expected = task.IsCanceled ? 0 : 1;
    }

    private void WaitForAll()
    {
        Task.WhenAll(_tasks).WaitFor();
        Wait.Until(() =>
        {
            lock (_items)
            {
                return _items.TrueForAll(static item => item.Ran >= item.Expected);
            }
        });
        Wait.Until(() => Volatile.Read(ref _reported) >= _thrown);
    }
}
