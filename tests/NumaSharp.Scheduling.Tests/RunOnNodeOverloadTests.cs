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
    public async Task RunOnNode_MethodGroupsWithState_BindToTheOverloadOfTheirResult()
    {
        await _scheduler.RunOnNode(0, Add, 3);
        await _scheduler.RunOnNode(0, AddAsync, 4);
        Assert.Equal(10, await _scheduler.RunOnNode(0, Twice, 5));
        Assert.Equal("ab", await _scheduler.RunOnNode(0, JoinAsync, ("a", "b")));
        Assert.Equal(7, _ran);
    }

    [Fact]
    public async Task RunOnNode_LambdasWithState_BindToTheOverloadOfTheirResult()
    {
        var box = new int[1];
        await _scheduler.RunOnNode(1, static box => box[0] += NumaTaskScheduler.CurrentNodeIndex, box);
        await _scheduler.RunOnNode(1, static box => { box[0] += NumaTaskScheduler.CurrentNodeIndex; }, box);
        await _scheduler.RunOnNode(
            1,
            static async box =>
            {
                await Task.Yield();
                box[0] += NumaTaskScheduler.CurrentNodeIndex;
            },
            box);
        await _scheduler.RunOnNode(1, static box => Task.FromResult(box[0]), box);

        Task<int> sum = _scheduler.RunOnNode(1, static pair => pair.A + pair.B, (A: 1, B: 2));
        Task<string> text = _scheduler.RunOnNode(
            1, static async pair => await Task.FromResult(pair.A + pair.B), (A: "a", B: "b"));

        Assert.Equal(3, box[0]);
        Assert.Equal(3, await sum);
        Assert.Equal("ab", await text);
    }

    [Fact]
    public async Task RunOnNode_LambdasWithToken_GetTheToken()
    {
        using var cancel = new CancellationTokenSource();
        var seen = new List<CancellationToken>();

        await _scheduler.RunOnNode(0, token => { seen.Add(token); }, cancel.Token);
        Task<int> number = _scheduler.RunOnNode(0, token => seen.IndexOf(token), cancel.Token);
        await _scheduler.RunOnNode(0, async token => { await Task.Yield(); seen.Add(token); }, cancel.Token);
        Task<bool> both = _scheduler.RunOnNode(0, async token => await Task.FromResult(token == seen[0]), cancel.Token);

        Assert.Equal(0, await number);
        Assert.True(await both);
        Assert.Equal([cancel.Token, cancel.Token], seen);
    }

    [Fact]
    public async Task RunOnNode_WorkWithTokenCancelledBeforeItStarts_DoesNotRun()
    {
        using var gate = new ManualResetEvent(false);
        using var cancel = new CancellationTokenSource();
        _scheduler.Occupy(0, gate);
        Task[] tasks =
        [
            _scheduler.RunOnNode(0, token => { _ran++; }, cancel.Token),
            _scheduler.RunOnNode(0, token => ++_ran, cancel.Token),
            _scheduler.RunOnNode(0, async token => { await Task.Yield(); _ran++; }, cancel.Token),
            _scheduler.RunOnNode(0, async token => { await Task.Yield(); return ++_ran; }, cancel.Token),
            _scheduler.RunOnNode(0, Add, 1, cancel.Token),
            _scheduler.RunOnNode(0, AddAsync, 1, cancel.Token),
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
            token =>
            {
                cancel.Cancel();
                token.ThrowIfCancellationRequested();
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
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Action<int>)null!, 1); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<int, int>)null!, 1); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<int, Task>)null!, 1); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<int, Task<int>>)null!, 1); });
        Assert.Throws<ArgumentNullException>(() => { _ = _scheduler.RunOnNode(0, (Func<Task<int>>)null!); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.RunOnNode(2, Add, 1); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.RunOnNode(-1, AddAsync, 1); });
    }

    [Fact]
    public async Task RunNumaLocal_StatesAndTokens_RunOnTheSharedScheduler()
    {
        using var cancel = new CancellationTokenSource();
        Action<int> add = Add;
        Func<int, Task> addAsync = AddAsync;
        Func<int, int> twice = Twice;
        Func<(string, string), Task<string>> join = JoinAsync;
        Func<CancellationToken, bool> given = token => token == cancel.Token && NumaTaskScheduler.CurrentNodeIndex >= 0;
        Func<CancellationToken, Task<bool>> givenAsync = token => Task.FromResult(given(token));

        await add.RunNumaLocal(1);
        await addAsync.RunNumaLocal(2);
        Assert.Equal(8, await twice.RunNumaLocal(4));
        Assert.Equal("cd", await join.RunNumaLocal(("c", "d")));
        Assert.True(await given.RunNumaLocal(cancel.Token));
        Assert.True(await givenAsync.RunNumaLocal(cancel.Token));
        Assert.Equal(3, _ran);

        await cancel.CancelAsync();
        Action work = Run;
        await Assert.ThrowsAsync<TaskCanceledException>(() => work.RunNumaLocal(cancel.Token));
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

    private void Add(int number) => _ran += number;

    private async Task AddAsync(int number)
    {
        await Task.Yield();
        _ran += number;
    }

    private static int Twice(int number) => 2 * number;

    private static Task<string> JoinAsync((string First, string Second) pair) => Task.FromResult(pair.First + pair.Second);
}
