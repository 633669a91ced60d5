using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class RunOnNodeTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 2, 2);

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public async Task RunOnNode_Action_RunsOnAWorkerOfTheNode()
    {
        var (node, name) = (-1, "");

        await _scheduler.RunOnNode(
            nodeIndex: 1,
            () =>
            {
                node = NumaTaskScheduler.CurrentNodeIndex;
                name = Thread.CurrentThread.Name;
            });

        Assert.Equal(1, node);
        Assert.StartsWith("numa1-", name, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunOnNode_Lambdas_BindToTheOverloadOfTheirResult()
    {
        Assert.Equal(42, await _scheduler.RunOnNode(nodeIndex: 0, () => 42));
        Assert.Equal(43, await _scheduler.RunOnNode(nodeIndex: 0, async () => await Task.FromResult(43)));
        Assert.Equal(44, await _scheduler.RunOnNode(0, () => Task.FromResult(44)));
        var ran = false;
        await _scheduler.RunOnNode(nodeIndex: 0, () => { ran = true; });
        await _scheduler.RunOnNode(nodeIndex: 0, async () => await Task.CompletedTask);
        Assert.True(ran);
    }

    [Fact]
    public async Task RunOnNode_Async_EndsWhenTheWorkEndsAndStaysOnTheNode()
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var nodes = new List<int>();

        var task = _scheduler.RunOnNode(
            nodeIndex: 1,
            async () =>
            {
                nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
                await release.Task;
                nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
                await Task.Yield();
                nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
            });
        Assert.False(task.IsCompleted);
        release.SetResult();
        await task;

        Assert.Equal([1, 1, 1], nodes);
    }

    [Fact]
    public async Task RunOnNode_Exception_IsTheTasks()
    {
        await Assert.ThrowsAsync<InvalidTimeZoneException>(
            () => _scheduler.RunOnNode(0, void () => throw new InvalidTimeZoneException()));
        await Assert.ThrowsAsync<InvalidTimeZoneException>(
            () => _scheduler.RunOnNode(0, async () =>
            {
                await Task.Yield();
                throw new InvalidTimeZoneException();
            }));
    }

    [Fact]
    public async Task RunOnNode_CancelledBeforeItStarts_DoesNotRun()
    {
        using var gate = new ManualResetEvent(false);
        using var cancel = new CancellationTokenSource();
        _scheduler.Occupy(0, gate);
        var ran = false;
        var task = _scheduler.RunOnNode(0, () => { ran = true; }, cancel.Token);

        await cancel.CancelAsync();
        gate.Set();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        await _scheduler.RunOnNode(0, () => { });
        Assert.False(ran);
    }

    [Fact]
    public async Task RunOnNode_ExecutionContext_FlowsIn()
    {
        var local = new AsyncLocal<string> { Value = "caller's" };

        Assert.Equal("caller's", await _scheduler.RunOnNode(1, () => local.Value));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(2)]
    public void RunOnNode_NoSuchPosition_ThrowsAtOnce(int nodeIndex)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.RunOnNode(nodeIndex, () => { }); });

        Assert.Equal("nodeIndex", error.ParamName);
        Assert.Contains("0 to 1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void RunOnNode_NoWork_Throws()
    {
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Action)null!); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<Task>)null!); });
        Assert.Throws<ArgumentNullException>(() => _scheduler.QueueOnNode(0, (IThreadPoolWorkItem)null!));
        Assert.Throws<ArgumentNullException>(() => _scheduler.QueueOnNode(0, (Action<object?>)null!, null));
    }

    [Fact]
    public void CurrentNodeIndex_OutsideAWorker_IsMinusOne() => Assert.Equal(-1, NumaTaskScheduler.CurrentNodeIndex);

    [Fact]
    public async Task RunOnNode_RealMachine_IsPinnedToTheNodesCpus()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "this platform cannot pin threads");
        var affinity = NumaPlatform.Default.Affinity;
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);

        foreach (var node in scheduler.Plan.Nodes)
        {
            var (ranOn, cpus) = await scheduler.RunOnNode(node.NodeIndex, () =>
            {
                affinity.GetThreadCpus(out var set).ThrowIfFailed("sched_getaffinity");
                return (NumaTaskScheduler.CurrentNodeIndex, set);
            });

            // Under LocalityFirst another node may have taken it; it is pinned to that one then.
            Assert.Contains(cpus, scheduler.Plan.Nodes[ranOn].ThreadCpus);
        }
    }

    [Fact]
    public async Task RunNumaLocal_AllKinds_RunOnTheSharedScheduler()
    {
        var node = -1;
        await ((Action)(() => node = NumaTaskScheduler.CurrentNodeIndex)).RunNumaLocal();
        Assert.InRange(node, 0, NumaTaskScheduler.Shared.Plan.Nodes.Count - 1);

        Func<int> function = () => NumaTaskScheduler.CurrentNodeIndex;
        Func<Task> asynchronous = async () => await Task.Yield();
        Func<Task<int>> both = async () =>
        {
            await Task.Yield();
            return NumaTaskScheduler.CurrentNodeIndex;
        };
        Assert.NotEqual(-1, await function.RunNumaLocal());
        await asynchronous.RunNumaLocal();
        Assert.NotEqual(-1, await both.RunNumaLocal());
    }

    [Fact]
    public async Task Dispose_Shared_DoesNothing()
    {
        NumaTaskScheduler.Shared.Dispose();

        Assert.Equal(7, await NumaTaskScheduler.Shared.RunOnNode(0, () => 7));
    }
}
