using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class NodeSynchronizationContextTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler;
    private readonly List<Exception> _unhandled = [];

    public NodeSynchronizationContextTests()
    {
        var options = TestMachine.Options(TestMachine.Plan(1, 1));
        options.UseSynchronizationContext = true;
        options.UnhandledException = _unhandled.Add;
        options.CompensateBlocking = false;
        _scheduler = new NumaTaskScheduler(options);
    }

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public async Task Await_OfAnythingInAnyWork_ComesBackToTheNode()
    {
        var nodes = new List<int>();
        async Task Method()
        {
            await Task.Yield();
            nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
            await GoElsewhereAsync();
            nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
            await Nested();
            nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
        }

        async ValueTask Nested() => await new Elsewhere();

        await _scheduler.RunOnNode(1, Method);
        var fromItem = new TaskCompletionSource<Task>();
        _scheduler.QueueOnNode(1, _ => fromItem.SetResult(Method()), state: null);
        await await fromItem.Task;
        await _scheduler.SwitchTo(1);
        await Method();

        Assert.Equal(Enumerable.Repeat(1, 9), nodes);
    }

    [Fact]
    public async Task Current_InEveryKindOfWork_IsTheNodesAndStaysSo()
    {
        var own = _scheduler.GetSynchronizationContext(1);
        var seen = new List<SynchronizationContext?>();
        await _scheduler.SwitchTo(1);
        seen.Add(SynchronizationContext.Current);
        SynchronizationContext.SetSynchronizationContext(null);
        await _scheduler.Yield();
        seen.Add(SynchronizationContext.Current);
        await _scheduler.RunOnNode(1, () => seen.Add(SynchronizationContext.Current));

        Assert.Equal([own, own, own], seen);
        Assert.NotSame(own, _scheduler.GetSynchronizationContext(0));
        Assert.Same(own, own.CreateCopy());
    }

    [Fact]
    public async Task Current_WithoutTheOption_IsNone()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);

        await scheduler.SwitchTo(0);

        Assert.Null(SynchronizationContext.Current);
    }

    [Fact]
    public async Task SetSynchronizationContext_WithoutTheOption_BringsOneMethodBack()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);
        await scheduler.SwitchTo(1);
        SynchronizationContext.SetSynchronizationContext(scheduler.GetSynchronizationContext(1));

        await GoElsewhereAsync();

        Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
    }

    [Fact]
    public async Task Await_InWorkThatAnotherNodeTook_ComesBackToItsOwn()
    {
        var options = TestMachine.Options(TestMachine.Plan(1, 1), NumaSchedulingPolicy.LocalityFirst);
        options.UseSynchronizationContext = true;
        options.CompensateBlocking = false;
        using var scheduler = new NumaTaskScheduler(options);
        using var gate = new ManualResetEvent(false);
        scheduler.Occupy(1, gate);

        var (ranOn, context) = await scheduler.RunOnNode(
            1, static () => (NumaTaskScheduler.CurrentNodeIndex, SynchronizationContext.Current));
        var after = await scheduler.RunOnNode(0, static () => SynchronizationContext.Current);

        Assert.Equal(0, ranOn);
        Assert.Same(scheduler.GetSynchronizationContext(1), context);
        Assert.Same(scheduler.GetSynchronizationContext(0), after);
        gate.Set();
    }

    [Fact]
    public void Post_FromAnywhere_RunsOnTheNodeWithTheCallersExecutionContext()
    {
        using var done = new CountdownEvent(2);
        var local = new AsyncLocal<string?>();
        var seen = new List<(int, string?, object?)>();
        void Note(object? state)
        {
            seen.Add((NumaTaskScheduler.CurrentNodeIndex, local.Value, state));
            done.Signal();
        }

        _scheduler.GetSynchronizationContext(1).Post(Note, 1);
        local.Value = "caller's";
        _scheduler.GetSynchronizationContext(1).Post(Note, 2);

        done.WaitFor();
        Assert.Equal([(1, null, 1), (1, "caller's", 2)], seen);
    }

    [Fact]
    public async Task Post_Exception_GoesToTheHandler()
    {
        _scheduler.GetSynchronizationContext(0).Post(static _ => throw new InvalidTimeZoneException(), null);

        await _scheduler.RunOnNode(0, () => { });
        Assert.IsType<InvalidTimeZoneException>(Assert.Single(_unhandled));
    }

    [Fact]
    public async Task AsyncVoid_Exception_GoesToTheHandler()
    {
#pragma warning disable MA0155 // What becomes of their exceptions is what is tested.
        static async void Fail()
        {
            await Task.Yield();
            throw new InvalidTimeZoneException();
        }
#pragma warning restore MA0155

        await _scheduler.RunOnNode(0, Fail);

        Wait.Until(() => _scheduler.GetQueueLength(0) == 0 && _unhandled.Count > 0);
        Assert.IsType<InvalidTimeZoneException>(Assert.Single(_unhandled));
    }

    [Fact]
    public async Task Send_FromAnywhere_RunsOnTheNodeAndReturnsAfterwards()
    {
        var context = _scheduler.GetSynchronizationContext(1);
        var local = new AsyncLocal<string?> { Value = "caller's" };
        var seen = new List<(int, string?)>();
        void Note(object? state) => seen.Add((NumaTaskScheduler.CurrentNodeIndex, local.Value));

        context.Send(Note, null);
        await _scheduler.RunOnNode(0, () => context.Send(Note, null));
        await _scheduler.RunOnNode(1, () => context.Send(Note, null));

        Assert.Equal([(1, "caller's"), (1, "caller's"), (1, "caller's")], seen);
    }

    [Fact]
    public void Send_Exception_IsTheSenders()
    {
        Assert.Throws<InvalidTimeZoneException>(
            () => _scheduler.GetSynchronizationContext(0).Send(static _ => throw new InvalidTimeZoneException(), null));
        Assert.Empty(_unhandled);
    }

    [Fact]
    public void PostAndSend_AfterDispose_UseTheThreadPool()
    {
        using var done = new CountdownEvent(1);
        var onPool = new bool[2];
        _scheduler.Dispose();

        _scheduler.GetSynchronizationContext(1).Post(
            _ =>
            {
                onPool[0] = Thread.CurrentThread.IsThreadPoolThread;
                done.Signal();
            },
            null);
        _scheduler.GetSynchronizationContext(1).Send(_ => onPool[1] = Thread.CurrentThread.IsThreadPoolThread, null);

        done.WaitFor();
        Assert.Equal([true, true], onPool);
    }

    [Fact]
    public void PostAndSend_NoCallback_Throw()
    {
        Assert.Throws<ArgumentNullException>(() => _scheduler.GetSynchronizationContext(0).Post(null!, null));
        Assert.Throws<ArgumentNullException>(() => _scheduler.GetSynchronizationContext(0).Send(null!, null));
        Assert.Throws<ArgumentOutOfRangeException>(() => _scheduler.GetSynchronizationContext(2));
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void Post_InSteadyState_AllocatesNothing()
    {
        using var done = new AutoResetEvent(false);
        var context = _scheduler.GetSynchronizationContext(0);
        SendOrPostCallback callback = state => ((AutoResetEvent)state!).Set();
        var local = new AsyncLocal<string?>();
        long Measure()
        {
            var attempts = new AllocationAttempts();
            while (!attempts.AreOver)
            {
                var before = GC.GetAllocatedBytesForCurrentThread();
                context.Post(callback, done);
                attempts.Add(GC.GetAllocatedBytesForCurrentThread() - before);
                done.WaitFor();
            }

            return attempts.Least;
        }

        Assert.Equal(0, Measure());
        local.Value = "a context to flow";
        Assert.Equal(0, Measure());
    }

    private static async Task GoElsewhereAsync() => await new Elsewhere();
}
