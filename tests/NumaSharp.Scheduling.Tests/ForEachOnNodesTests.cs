using System.Collections.Concurrent;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class ForEachOnNodesTests
{
    [Theory]
    [InlineData(NumaSchedulingPolicy.LocalityFirst)]
    [InlineData(NumaSchedulingPolicy.NodeStrict)]
    [InlineData(NumaSchedulingPolicy.Spread)]
    public async Task ForEachOnNodes_Elements_AreEachDoneOnce(NumaSchedulingPolicy policy)
    {
        using var scheduler = TestMachine.Start(policy, 2, 1, 0);
        int[][] data = [[.. Enumerable.Range(0, 5000)], [.. Enumerable.Range(5000, 10)], [.. Enumerable.Range(5010, 700)]];
        var seen = new int[5710];

        await scheduler.ForEachOnNodes(
            data,
            number =>
            {
                Assert.NotEqual(-1, NumaTaskScheduler.CurrentNodeIndex);
                Interlocked.Increment(ref seen[number]);
            });

        Assert.All(seen, static count => Assert.Equal(1, count));
    }

    [Fact]
    public async Task ForEachOnNodes_NodeStrict_KeepsDataOnItsNodeOrItsServingNode()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 2, 0);
        var seen = new ConcurrentBag<(int Data, int RanOn)>();

        await scheduler.ForEachOnNodes(
            [300, 1, 200], range => seen.Add((range.NodeIndex, NumaTaskScheduler.CurrentNodeIndex)));

        Assert.Equal([(0, 0), (1, 1), (2, 1)], seen.Distinct().Order());
    }

    [Fact]
    public async Task ForEachOnNodes_NodeWithoutOwnData_HelpsTheOthers()
    {
        // The other half can only be done by node 1: node 0 has one worker, which waits for it.
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 1, 1);
        using var both = new Barrier(2);

        await scheduler.ForEachOnNodes([2, 0], _ => Assert.True(both.SignalAndWait(Wait.Limit)));
    }

    [Fact]
    public async Task ForEachOnNodes_OtherWorkOfTheNode_GetsItsTurnInBetween()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        var (done, doneWhenOtherRan) = (0, 0);
        Task? other = null;

        await scheduler.ForEachOnNodes(
            [100],
            range =>
            {
                other ??= scheduler.RunOnNode(0, () => doneWhenOtherRan = done);
                done += range.Length;
            });

        await other!;
        Assert.InRange(doneWhenOtherRan, 1, 99);
    }

    [Fact]
    public async Task ForEachOnNodes_FailingBody_EndsTheLoopWithItsException()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        var calls = 0;
        int[][] data = [[.. Enumerable.Range(0, 1000)]];

        var task = scheduler.ForEachOnNodes(
            data,
            number =>
            {
                calls++;
                if (number == 300)
                {
                    throw new InvalidTimeZoneException();
                }
            });

        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => task);
        Assert.Equal(301, calls);
    }

    [Fact]
    public async Task ForEachOnNodes_Cancelled_EndsBeforeTheNextElement()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        using var cancel = new CancellationTokenSource();
        var calls = 0;
        int[][] data = [[.. Enumerable.Range(0, 1000)]];

        var task = scheduler.ForEachOnNodes(
            data,
            number =>
            {
                calls++;
                if (number == 300)
                {
                    cancel.Cancel();
                }
            },
            cancel.Token);

        await Assert.ThrowsAsync<OperationCanceledException>(() => task);
        Assert.True(task.IsCanceled);
        Assert.Equal(301, calls);
    }

    [Fact]
    public async Task ForEachOnNodes_SchedulerThatEndsMeanwhile_IsDoneToTheEnd()
    {
        var options = TestMachine.Options(TestMachine.Plan(1, 1));
        options.DrainTimeout = TimeSpan.Zero;
        using var scheduler = new NumaTaskScheduler(options);
        using var entered = new CountdownEvent(2);
        using var gate = new ManualResetEvent(false);
        var done = 0;
        var task = scheduler.ForEachOnNodes(
            [100, 100],
            range =>
            {
                if (range.Start == 0)
                {
                    entered.Signal();
                    gate.WaitFor();
                }

                Interlocked.Add(ref done, range.Length);
            });
        entered.WaitFor();

        var ending = scheduler.RunOnNode(0, static () => { }).ContinueWith(static _ => { }, TaskScheduler.Default);
        var disposal = new Thread(scheduler.Dispose) { IsBackground = true };
        disposal.Start();
        Wait.Until(() => scheduler.IsStopped);
        gate.Set();

        await task;
        await ending;
        Wait.For(disposal);
        Assert.Equal(200, done);
    }

    [Fact]
    public async Task ForEachOnNodes_ExecutionContext_Flows()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 1, 1);
        var local = new AsyncLocal<string?> { Value = "caller's" };

        await scheduler.ForEachOnNodes([10, 10], _ => Assert.Equal("caller's", local.Value));
    }

    [Fact]
    public void ForEachOnNodes_BadCalls_Throw()
    {
        var scheduler = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 1, 1);
        Assert.Throws<ArgumentException>(() => { _ = scheduler.ForEachOnNodes([1], static _ => { }); });
        Assert.Throws<ArgumentNullException>(() => { _ = scheduler.ForEachOnNodes([1, 1], null!); });
        scheduler.Dispose();
        Assert.Throws<ObjectDisposedException>(() => { _ = scheduler.ForEachOnNodes([1, 1], static _ => { }); });
    }
}
