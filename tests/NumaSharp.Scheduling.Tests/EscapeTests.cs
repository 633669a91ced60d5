using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class EscapeTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1, 0);

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public async Task GetEscapes_AsyncWorkThatStaysOrEndsAtOnce_IsZero()
    {
        await _scheduler.RunOnNode(1, async () => await GoElsewhereAsync());
        await _scheduler.RunOnNode(1, static () => Task.CompletedTask);
        await _scheduler.RunOnNode(1, async () => await _scheduler.SwitchTo(0));
        await _scheduler.RunOnNode(1, static () => 1);

        Assert.Equal((0, 0), (_scheduler.GetEscapes(0), _scheduler.GetEscapes(1)));
    }

    [Fact]
    public async Task GetEscapes_AsyncWorkThatEndsOnThePool_IsCountedForItsNode()
    {
        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        async Task Escape() => await released.Task.ConfigureAwait(false);
        async Task<int> EscapeWithResult()
        {
            await Escape().ConfigureAwait(false);
            return 1;
        }

        Task[] tasks =
        [
            _scheduler.RunOnNode(1, Escape),
            _scheduler.RunOnNode(1, EscapeWithResult),
            _scheduler.RunOnNode(2, Escape),
            _scheduler.RunOnNode(2, EscapeWithResult),
        ];

        // Node 2 has no CPUs; the one worker of node 1 runs its work, and has left all of it when it runs this.
        await _scheduler.RunOnNode(1, static () => { });
        released.SetResult();
        await Task.WhenAll(tasks);
        Assert.Equal((0, 4, 0), (_scheduler.GetEscapes(0), _scheduler.GetEscapes(1), _scheduler.GetEscapes(2)));
    }

    [Fact]
    public async Task GetEscapes_AsyncWorkThatLeavesAndComesBack_IsZero()
    {
        await _scheduler.RunOnNode(1, async () =>
        {
            await new Elsewhere();
            await _scheduler.SwitchTo(1);
        });

        Assert.Equal(0, _scheduler.GetEscapes(1));
    }

    [Fact]
    public async Task GetEscapes_TaskThatDoesNotTellWhereItEnded_IsNotCounted()
    {
        var elsewhere = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var plain = new TaskCompletionSource();
        var first = _scheduler.RunOnNode(0, () => elsewhere.Task);
        var second = _scheduler.RunOnNode(0, () => plain.Task);
        await _scheduler.RunOnNode(0, () => { });

        elsewhere.SetResult();
        plain.SetResult();
        await Task.WhenAll(first, second);

        Assert.Equal(1, _scheduler.GetEscapes(0));
    }

    [Fact]
    public async Task GetEscapes_AsyncVoidUnderTheContext_IsCountedWhenItEndsElsewhere()
    {
        var ended = new TaskCompletionSource[] { new(), new() };
#pragma warning disable MA0155 // They alone tell their context that they have ended.
        async void Stay()
        {
            await GoElsewhereAsync();
            ended[0].SetResult();
        }

        async void Leave()
        {
            await new Elsewhere();
            ended[1].SetResult();
        }
#pragma warning restore MA0155

        var context = _scheduler.GetSynchronizationContext(1);
        await _scheduler.SwitchTo(1);
        SynchronizationContext.SetSynchronizationContext(context);
        Stay();
        Leave();
        await Task.WhenAll(ended.Select(static each => each.Task));

        Wait.Until(() => _scheduler.GetEscapes(1) == 1);
        Assert.Equal(0, _scheduler.GetEscapes(0));
    }

    [Fact]
    public void GetEscapes_NoSuchPosition_Throws() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => _scheduler.GetEscapes(3));

    private static async Task GoElsewhereAsync() => await new Elsewhere();
}
