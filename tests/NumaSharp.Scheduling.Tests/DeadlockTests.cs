using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// Workers that wait for work: what a worker can run itself it does; for the rest a spare must come. All nodes have one worker,
/// so that no other thread can help; without compensation a test shows that inlining alone is enough.
/// </summary>
public sealed class DeadlockTests : IDisposable
{
    private readonly List<NumaTaskScheduler> _schedulers = [];

    public void Dispose() => _schedulers.ForEach(static scheduler => scheduler.Dispose());

    [Fact]
    public void Wait_ForATaskThatIsQueuedAlready_RunsItInlineAndNotAgain()
    {
        var node = Start(compensate: false).ForNode(new(0));
        var ran = 0;
        var worker = 0;
        var outer = On(node, () =>
        {
            var older = On(node, () => Interlocked.Increment(ref ran));
            var fair = Task.Factory.StartNew(
                () => Interlocked.Increment(ref ran), default, TaskCreationOptions.PreferFairness, node);
            var newer = On(node, () => worker = Environment.CurrentManagedThreadId);

            // From the own queue's middle, and from the node's: they stay there as empty shells.
            older.Wait();
            fair.Wait();
            Assert.False(newer.IsCompleted);
            newer.Wait();
            return Environment.CurrentManagedThreadId;
        });

        outer.WaitFor();
        Assert.Equal(outer.Result, worker);
        On(node, static () => { }).WaitFor();
        Assert.Equal(2, ran);
    }

    [Fact]
    public void Wait_ForACancelledQueuedTask_Ends()
    {
        var node = Start(compensate: false).ForNode(new(0));
        using var source = new CancellationTokenSource();

        var outer = On(node, () =>
        {
            var inner = Task.Factory.StartNew(static () => { }, source.Token, TaskCreationOptions.None, node);
            source.Cancel();
            return Assert.Throws<AggregateException>(inner.Wait).InnerException;
        });

        outer.WaitFor();
        Assert.IsType<TaskCanceledException>(outer.Result);
    }

    [Fact]
    public void Wait_DeepRecursionOnOneWorker_RunsAllInline()
    {
        var node = Start(compensate: false).ForNode(new(0));

        var task = On(node, () => Down(500));

        task.WaitFor();
        Assert.Equal(500, task.Result);

        int Down(int depth) => depth == 0 ? 0 : 1 + On(node, () => Down(depth - 1)).Result;
    }

    [Fact]
    public void Wait_OnAWorkerOfAnotherSchedulersNode_RunsThereAndComesBack()
    {
        var (first, second) = (Start(compensate: false), Start(compensate: false));

        var task = On(first.ForNode(new(0)), () =>
        {
            var here = Environment.CurrentManagedThreadId;
            var there = On(second.ForNode(new(0)), static () => Environment.CurrentManagedThreadId).Result;
            return here != there;
        });

        task.WaitFor();
        Assert.True(task.Result);
    }

    [Fact]
    public void NestedSchedulers_EachWaitingForTheOther_AreHelpedByASpare()
    {
        var (first, second) = (Start(), Start());

        var task = On(first.ForNode(new(0)), () =>
            On(second.ForNode(new(0)), () =>
                On(first.ForNode(new(0)), () =>
                    On(second.ForNode(new(0)), static () => 42).Result).Result).Result);

        task.WaitFor();
        Assert.Equal(42, task.Result);
    }

    [Fact]
    public void Nodes_EachWaitingForTheOther_AreHelpedByASpare()
    {
        var scheduler = Start(cpusPerNode: [1, 1]);

        var task = On(scheduler.ForNode(new(0)), () =>
            On(scheduler.ForNode(new(1)), () =>
                On(scheduler.ForNode(new(0)), () =>
                    On(scheduler.ForNode(new(1)), static () => 42).Result).Result).Result);

        task.WaitFor();
        Assert.Equal(42, task.Result);
    }

    [Fact]
    public void SyncOverAsync_ChainsOnAllWorkers_End()
    {
        // Ten chains, each of ten levels that block a worker until the next level has gone through the queue.
        var scheduler = Start(cpusPerNode: [1, 1]);

        var chains = Enumerable.Range(0, 10)
            .Select(chain => On(scheduler.ForNode(new(chain % 2)), () => Level(10, chain)))
            .ToArray();

        Task.WhenAll(chains).WaitFor();
        Assert.All(chains, static chain => Assert.Equal(10, chain.Result));

        int Level(int depth, int node) => depth == 0 ? 0 : 1 + NextAsync(depth - 1, node + 1).GetAwaiter().GetResult();

        async Task<int> NextAsync(int depth, int node)
        {
            await Task.Yield();
            return await scheduler.RunOnNode(node % 2, () => Level(depth, node));
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ParallelFor_OnItsOwnWorkerAndNested_Ends(bool ofTheWhole)
    {
        var scheduler = Start(compensate: false, cpusPerNode: [1, 1]);
        var options = new ParallelOptions { TaskScheduler = ofTheWhole ? scheduler : scheduler.ForNode(new(0)) };
        var sum = 0;

        On(scheduler.ForNode(new(0)), () => Parallel.For(0, 20, options, _ =>
            Parallel.For(0, 20, options, _ => Interlocked.Increment(ref sum)))).WaitFor();

        Assert.Equal(400, sum);
    }

    [Fact]
    public void ExclusivePair_OverANode_RunsWritersAloneThere()
    {
        var scheduler = Start(compensate: false, cpusPerNode: [2, 1]);
        var pair = new ConcurrentExclusiveSchedulerPair(scheduler.ForNode(new(0)));
        var (inside, wrong) = (0, 0);
        var tasks = Enumerable.Range(0, 200).Select(i => On(
            i % 3 == 0 ? pair.ExclusiveScheduler : pair.ConcurrentScheduler,
            () =>
            {
                var others = Interlocked.Increment(ref inside);
                if ((i % 3 == 0 && others != 1) || NumaTaskScheduler.CurrentNodeIndex != 0)
                {
                    Interlocked.Increment(ref wrong);
                }

                Thread.Yield();
                Interlocked.Decrement(ref inside);
            })).ToArray();

        Task.WhenAll(tasks).WaitFor();
        pair.Complete();
        pair.Completion.WaitFor();
        Assert.Equal(0, wrong);
    }

    [Fact]
    public void ExclusivePair_WaitedForOnTheOnlyWorker_IsHelpedByASpare()
    {
        // A pair runs nothing inline that waits for its turn.
        var scheduler = Start();
        var pair = new ConcurrentExclusiveSchedulerPair(scheduler.ForNode(new(0)));

        var task = On(scheduler.ForNode(new(0)), () => On(pair.ExclusiveScheduler, static () => 42).Result);

        task.WaitFor();
        Assert.Equal(42, task.Result);
    }

    [Fact]
    public void LongRunning_WaitingForItsNodeAndWaitedForOnIt_Ends()
    {
        var node = Start(compensate: false).ForNode(new(0));

        // The worker waits for a thread that waits for nothing of that worker; then the other way round.
        var waited = On(node, () => LongRunning(static () => 42, node).Result);
        waited.WaitFor();
        var waiting = LongRunning(() => On(node, static () => 43).Result, node);
        waiting.WaitFor();

        Assert.Equal((42, 43), (waited.Result, waiting.Result));
    }

    [Fact]
    public void LongRunning_WaitingForTheWorkerThatWaitsForIt_IsHelpedByASpare()
    {
        var node = Start().ForNode(new(0));

        var task = On(node, () => LongRunning(() => On(node, static () => 42).Result, node).Result);

        task.WaitFor();
        Assert.Equal(42, task.Result);
    }

    private static Task<T> On<T>(TaskScheduler scheduler, Func<T> work) =>
        Task.Factory.StartNew(work, default, TaskCreationOptions.None, scheduler);

    private static Task On(TaskScheduler scheduler, Action work) =>
        Task.Factory.StartNew(work, default, TaskCreationOptions.None, scheduler);

    private static Task<T> LongRunning<T>(Func<T> work, TaskScheduler scheduler) =>
        Task.Factory.StartNew(work, default, TaskCreationOptions.LongRunning, scheduler);

    private NumaTaskScheduler Start(bool compensate = true, params int[] cpusPerNode)
    {
        var scheduler = TestMachine.Start(
            NumaSchedulingPolicy.NodeStrict, compensate, cpusPerNode.Length == 0 ? [1] : cpusPerNode);
        _schedulers.Add(scheduler);
        return scheduler;
    }
}
