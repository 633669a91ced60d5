using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Calls as people write them: that they compile, and to what they bind, is what is tested.</summary>
public sealed class RunOnNodeOverloadTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);
    private int _ran;

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public async Task RunOnNode_MethodGroups_BindToTheOverloadOfTheirResult()
    {
        await _scheduler.RunOnNode(1, Run);
        await _scheduler.RunOnNode(1, RunAsync);
        Assert.Equal(1, await _scheduler.RunOnNode(1, Node));
        Assert.Equal(1, await _scheduler.RunOnNode(1, NodeAsync));
        Assert.Equal(2, _ran);
    }

    [Fact]
    public async Task RunOnNode_CancelledBeforeItStarts_DoesNotRun()
    {
        using var gate = new ManualResetEvent(false);
        using var cancel = new CancellationTokenSource();
        _scheduler.Occupy(0, gate);
        Task[] tasks =
        [
            _scheduler.RunOnNode(0, () => { _ran++; }, cancel.Token),
            _scheduler.RunOnNode(0, () => ++_ran, cancel.Token),
            _scheduler.RunOnNode(0, async () => { await Task.Yield(); _ran++; }, cancel.Token),
            _scheduler.RunOnNode(0, async () => { await Task.Yield(); return ++_ran; }, cancel.Token),
        ];

        await cancel.CancelAsync();
        gate.Set();

        await _scheduler.RunOnNode(0, Node);
        Assert.All(tasks, static task => Assert.True(task.IsCanceled));
        Assert.Equal(0, _ran);
    }

    [Fact]
    public async Task RunOnNode_WorkThatCancelsItself_IsCancelled()
    {
        using var cancel = new CancellationTokenSource();

        var task = _scheduler.RunOnNode(
            0,
            () =>
            {
                cancel.Cancel();
                cancel.Token.ThrowIfCancellationRequested();
            },
            cancel.Token);

        await Assert.ThrowsAsync<OperationCanceledException>(() => task);
        Assert.True(task.IsCanceled);
    }

    [Fact]
    public async Task RunOnNode_AsyncWorkThatReturnsNoTask_IsCancelledAsInTaskRun()
    {
        var task = _scheduler.RunOnNode(0, Task () => null!);

        await Assert.ThrowsAsync<TaskCanceledException>(() => task);
    }

    [Fact]
    public void RunOnNode_NoWorkOrNoNode_ThrowsAtOnce()
    {
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Action)null!); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<int>)null!); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<Task>)null!); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<Task<int>>)null!); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.RunOnNode(2, Run); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.RunOnNode(-1, RunAsync); });
    }

    [Fact]
    public async Task RunNumaLocal_EachForm_RunsOnTheSharedScheduler()
    {
        Action run = Run;
        Func<Task> runAsync = RunAsync;
        Func<int> node = Node;
        Func<Task<int>> nodeAsync = NodeAsync;

        await run.RunNumaLocal();
        await runAsync.RunNumaLocal();
        Assert.NotEqual(-1, await node.RunNumaLocal());
        Assert.NotEqual(-1, await nodeAsync.RunNumaLocal());
        Assert.Equal(2, _ran);

        await Assert.ThrowsAsync<TaskCanceledException>(() => run.RunNumaLocal(new CancellationToken(canceled: true)));
    }

    private void Run() => _ran++;

    private async Task RunAsync()
    {
        await Task.Yield();
        _ran++;
    }

    private static int Node() => NumaTaskScheduler.CurrentNodeIndex;

    private static async Task<int> NodeAsync()
    {
        await Task.Yield();
        return NumaTaskScheduler.CurrentNodeIndex;
    }
}
