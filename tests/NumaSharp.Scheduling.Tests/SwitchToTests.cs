using System.Runtime.CompilerServices;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

// A collection counts as an allocation: the test of those is alone.
[Collection(nameof(ProcessWide))]
public sealed class SwitchToTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public async Task SwitchTo_FromOutsideAndBetweenNodes_ContinuesOnTheNode()
    {
        var nodes = new List<int>();

        await _scheduler.SwitchTo(1);
        nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
        await _scheduler.SwitchTo(0);
        nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
        await new Elsewhere();
        nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
        await _scheduler.SwitchTo(1);
        nodes.Add(NumaTaskScheduler.CurrentNodeIndex);

        Assert.Equal([1, 0, -1, 1], nodes);
    }

    [Fact]
    public async Task SwitchTo_OnTheNode_ContinuesAtOnce()
    {
        await _scheduler.SwitchTo(1);

        Assert.True(_scheduler.SwitchTo(1).IsCompleted);
        Assert.True(_scheduler.SwitchTo().IsCompleted);
        Assert.False(_scheduler.SwitchTo(0).IsCompleted);
        Assert.False(_scheduler.Yield().IsCompleted);
    }

    [Fact]
    public async Task SwitchTo_NoNodeGiven_ComesToTheSchedulerAndStaysWhereItIs()
    {
        await _scheduler.SwitchTo();
        Assert.Equal(0, NumaTaskScheduler.CurrentNodeIndex);
        await _scheduler.SwitchTo(1);
        await _scheduler.SwitchTo();
        Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
    }

    [Fact]
    public async Task SwitchTo_WorkerOfAnotherScheduler_IsElsewhere()
    {
        using var other = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);
        await other.SwitchTo(1);

        Assert.False(_scheduler.SwitchTo(1).IsCompleted);
        Assert.False(_scheduler.SwitchTo().IsCompleted);
        await _scheduler.Yield();
        Assert.True(_scheduler.SwitchTo().IsCompleted);
    }

    [Fact]
    public async Task SwitchTo_NodeWithoutCpus_ContinuesOnTheServingNode()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1, 0);

        await scheduler.SwitchTo(2);

        Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
        Assert.True(scheduler.SwitchTo(2).IsCompleted);
    }

    [Fact]
    public void SwitchTo_NoSuchPosition_Throws()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.SwitchTo(2); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _scheduler.SwitchTo(-1); });
    }

    [Fact]
    public void OnCompleted_ThatNothingReturned_Throws()
    {
        var none = default(NumaSwitchAwaitable);

        Assert.True(none.IsCompleted);
        Assert.Throws<InvalidOperationException>(() => none.UnsafeOnCompleted(static () => { }));
        Assert.Throws<ArgumentNullException>(() => _scheduler.SwitchTo(0).OnCompleted(null!));
        Assert.Throws<ArgumentNullException>(() => _scheduler.SwitchTo(0).UnsafeOnCompleted(null!));
    }

    [Fact]
    public async Task Yield_OnTheOnlyWorker_LetsAllOthersGoFirst()
    {
        var order = new List<string>();
        await _scheduler.SwitchTo(0);
        for (var i = 0; i < 3; i++)
        {
            _scheduler.QueueOnNode(0, given => order.Add($"queued {given}"), i);
        }

        await _scheduler.Yield();
        order.Add("yielded");

        Assert.Equal(["queued 0", "queued 1", "queued 2", "yielded"], order.Order(StringComparer.Ordinal));
        Assert.Equal("yielded", order[^1]);
        Assert.Equal(0, NumaTaskScheduler.CurrentNodeIndex);
    }

    [Fact]
    public async Task SwitchTo_ExecutionContext_FlowsAlongWithTheMethodOnly()
    {
        var local = new AsyncLocal<string?> { Value = "mine" };

        await _scheduler.SwitchTo(1);
        var seen = local.Value;
        local.Value = "changed";
        await _scheduler.Yield();
        Assert.Equal("mine", seen);
        Assert.Equal("changed", local.Value);

        local.Value = null;
        string? others = "";
        using var done = new ManualResetEvent(false);
        _scheduler.QueueOnNode(
            1,
            _ =>
            {
                others = local.Value;
                done.Set();
            },
            state: null);
        await _scheduler.SwitchTo(0);
        done.WaitFor();
        Assert.Null(others);
    }

    [Fact]
    public void OnCompleted_Directly_FlowsTheCallersContextAndUnsafeOnCompletedDoesNot()
    {
        using var done = new CountdownEvent(2);
        var local = new AsyncLocal<string?> { Value = "caller's" };
        var seen = new string?[2];

        _scheduler.SwitchTo(0).OnCompleted(() => { seen[0] = local.Value; done.Signal(); });
        _scheduler.SwitchTo(0).UnsafeOnCompleted(() => { seen[1] = local.Value; done.Signal(); });

        done.WaitFor();
        Assert.Equal(("caller's", null), (seen[0], seen[1]));
    }

    [Fact]
    public async Task SwitchTo_AfterDispose_ContinuesOnTheThreadPool()
    {
        await _scheduler.SwitchTo(1);
        await new Elsewhere();
        _scheduler.Dispose();

        await _scheduler.SwitchTo(0);
        Assert.True(Thread.CurrentThread.IsThreadPoolThread);
        await _scheduler.Yield();
        Assert.True(Thread.CurrentThread.IsThreadPoolThread);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public async Task SwitchToAndYield_InSteadyState_AllocateNothing()
    {
        // From the second turn on: the method's own object and delegate are made when it first leaves.
        long first0 = 0, first1 = 0, last0 = 0, last1 = 0;
        async Task Hop(int turns)
        {
            for (var turn = 0; turn <= turns; turn++)
            {
                await _scheduler.SwitchTo(1);
                last1 = GC.GetAllocatedBytesForCurrentThread();
                await _scheduler.SwitchTo(0);
                last0 = GC.GetAllocatedBytesForCurrentThread();
                if (turn == 0)
                {
                    (first0, first1) = (last0, last1);
                }

                await _scheduler.Yield();
            }
        }

        var attempts = new AllocationAttempts();
        while (!attempts.AreOver)
        {
            await Hop(1_000);
            attempts.Add(last0 - first0 + last1 - first1);
        }

        Assert.Equal(0, attempts.Least);
    }

    [Fact]
    public async Task SwitchTo_Exception_IsTheMethods()
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        async Task FailOnNode()
        {
            await _scheduler.SwitchTo(1);
            throw new InvalidTimeZoneException();
        }

        await Assert.ThrowsAsync<InvalidTimeZoneException>(FailOnNode);
    }
}
