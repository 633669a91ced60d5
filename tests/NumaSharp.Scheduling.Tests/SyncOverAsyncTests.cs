using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Waits on workers for what needs a worker: the only one of its node each time.</summary>
public sealed class SyncOverAsyncTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Wait_OnTheOnlyWorkerForAsyncWorkOfItsNode_Ends(bool useContext)
    {
        using var scheduler = Start(useContext);

        var task = scheduler.RunOnNode(0, () => YieldTwiceAsync().Result);

        task.WaitFor();
        Assert.Equal(0, task.Result);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Wait_ForAsyncWorkOfANodeThatWaitsForThisOne_Ends(bool useContext)
    {
        using var scheduler = Start(useContext);

        var task = scheduler.RunOnNode(0, () => scheduler.RunOnNode(1, async () =>
        {
            await Task.Yield();
            return scheduler.RunOnNode(0, YieldTwiceAsync).Result;
        }).Result);

        task.WaitFor();
        Assert.Equal(0, task.Result);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Wait_InAnItemForAMethodThatSwitches_Ends(bool useContext)
    {
        using var scheduler = Start(useContext);
        using var done = new ManualResetEvent(false);
        var nodes = new List<int>();
        async Task SwitchAsync()
        {
            await scheduler.SwitchTo(1);
            nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
            await scheduler.SwitchTo(0);
            nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
        }

        scheduler.QueueOnNode(
            0,
            state =>
            {
                SwitchAsync().WaitFor();
                done.Set();
            },
            state: null);

        done.WaitFor();
        Assert.Equal([1, 0], nodes);
    }

    [Fact]
    public void Send_BetweenNodesThatWaitForEachOther_Ends()
    {
        using var scheduler = Start(useContext: true);
        var nodes = new List<int>();

        scheduler.GetSynchronizationContext(0).Send(
            _ => scheduler.GetSynchronizationContext(1).Send(
                _ => scheduler.GetSynchronizationContext(0).Send(
                    _ => nodes.Add(NumaTaskScheduler.CurrentNodeIndex), null),
                null),
            null);

        Assert.Equal([0], nodes);
    }

    private static NumaTaskScheduler Start(bool useContext)
    {
        var options = TestMachine.Options(TestMachine.Plan(1, 1));
        options.UseSynchronizationContext = useContext;
        return new NumaTaskScheduler(options);
    }

    private static async Task<int> YieldTwiceAsync()
    {
        await Task.Yield();
        await Task.Yield();
        return NumaTaskScheduler.CurrentNodeIndex;
    }
}
