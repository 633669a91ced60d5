using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.GuestTests.Scheduling;

/// <summary>Every kind of item, from outside and from inside, asks the kernel where it runs.</summary>
public sealed class ItemKindsTests : ThreeNodeTests, IDisposable
{
    private readonly ConcurrentQueue<(string Kind, int Node)> _seen = new();
    private NumaTaskScheduler? _scheduler;

    [Theory]
    [InlineData(NumaSchedulingPolicy.NodeStrict, 0)]
    [InlineData(NumaSchedulingPolicy.NodeStrict, 1)]
    [InlineData(NumaSchedulingPolicy.NodeStrict, 2)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 0)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 1)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 2)]
    public async Task Items_OfAllKinds_RunOnACpuOfTheNode(NumaSchedulingPolicy policy, int nodeIndex)
    {
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = NumaPlan.Create(NumaTopology.Instance),
            Policy = policy,
            ThreadNamePrefix = "kind",
        });
        foreach (var (kind, start) in Kinds(nodeIndex))
        {
            // One at a time on an idle node.
            await IdleThreads.WaitForAsync("kind");
            await start();
            await IdleThreads.WaitForAsync("kind");
            await _scheduler.RunOnNode(nodeIndex, () => start());
            Assert.Equal(2, _seen.Count(item => item.Kind == kind));
        }

        // What runs elsewhere was stolen: an item that queues another may find all workers of its node awake for a moment.
        var stolen = TheMachine.Nodes.Sum(node => _scheduler!.GetStatistics(node).Stolen);
        var away = _seen.Where(item => item.Node != TheMachine.ServerOf(nodeIndex)).ToArray();
        Assert.True(away.Length <= stolen, $"{stolen} stolen; elsewhere: {string.Join(", ", away)}");
        Assert.True(policy == NumaSchedulingPolicy.LocalityFirst || stolen == 0, $"{stolen} stolen under {policy}");
    }

    public void Dispose() => _scheduler?.Dispose();

    private Dictionary<string, Func<Task>> Kinds(int node)
    {
        var scheduler = _scheduler!;
        var factory = new TaskFactory(scheduler.ForNode(new(node)));
        return new Dictionary<string, Func<Task>>
        {
            ["callback"] = () => Raw("callback", run => scheduler.QueueOnNode(node, static state => ((Action)state!)(), run)),
            ["item"] = () => Raw("item", run => scheduler.QueueOnNode(node, new Item(run))),
            ["action"] = () => scheduler.RunOnNode(node, () => Note("action")),
            ["function"] = () => scheduler.RunOnNode(node, () => Note("function").Node),
            ["async"] = () => scheduler.RunOnNode(node, async () =>
            {
                await Task.Yield();
                Note("async");
            }),
            ["task"] = () => factory.StartNew(() => Note("task")),
            ["fair task"] = () => factory.StartNew(() => Note("fair task"), TaskCreationOptions.PreferFairness),
            ["long task"] = () => factory.StartNew(() => Note("long task"), TaskCreationOptions.LongRunning),
            ["continuation"] = () => Task.CompletedTask.ContinueWith(_ => Note("continuation"), factory.Scheduler!),
        };
    }

    private Task Raw(string kind, Action<Action> queue)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        queue(() =>
        {
            Note(kind);
            done.SetResult();
        });
        return done.Task;
    }

    private (string Kind, int Node) Note(string kind)
    {
        NumaPlatform.Default.Affinity.GetCurrent(out var cpu, out var node).ThrowIfFailed("getcpu");
        Assert.Equal(TheMachine.NodeOfCpu(cpu), node.Value);
        _seen.Enqueue((kind, node.Value));
        return (kind, node.Value);
    }

    private sealed class Item(Action run) : IThreadPoolWorkItem
    {
        public void Execute() => run();
    }
}
