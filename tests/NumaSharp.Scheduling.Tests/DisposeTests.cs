using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class DisposeTests : IDisposable
{
    private readonly ManualResetEvent _gate = new(false);
    private readonly NumaFallbacks _fallbacks = new();

    public void Dispose()
    {
        _gate.Set();
        _gate.Dispose();
    }

    [Fact]
    public void Dispose_Afterwards_NewWorkIsRefused()
    {
        var scheduler = Start();

        scheduler.Dispose();
        scheduler.Dispose();

        Assert.Throws<ObjectDisposedException>(() => { _ = scheduler.RunOnNode(0, () => { }); });
        Assert.Throws<ObjectDisposedException>(() => { _ = scheduler.RunOnNode(0, async () => await Task.Yield()); });
        Assert.Throws<ObjectDisposedException>(() => scheduler.QueueOnNode(0, static _ => { }, null));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Dispose_WorkQueuedAndQueueing_RunsAllOfItOnTheNodes()
    {
        var scheduler = Start();
        scheduler.Occupy(0, _gate);
        var onNodes = 0;
        for (var i = 0; i < 100; i++)
        {
            scheduler.QueueOnNode(
                0,
                _ => scheduler.QueueOnNode(
                    1,
                    _ =>
                    {
                        Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
                        Interlocked.Increment(ref onNodes);
                    },
                    state: null),
                state: null);
        }

        var end = Task.Factory.StartNew(scheduler.Dispose, TaskCreationOptions.LongRunning);
        Wait.Until(() => Refuses(scheduler));
        Assert.False(end.IsCompleted);
        _gate.Set();
        end.WaitFor();

        Assert.Equal(100, onNodes);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Dispose_ItemThatDoesNotEnd_ReturnsAtTheLimitAndTheRestRunsOnThePool()
    {
        var scheduler = Start(timeout: TimeSpan.Zero, compensate: false);
        scheduler.Occupy(0, _gate);
        var nodes = new List<int>();
        using var done = new CountdownEvent(2);
        var task = scheduler.RunOnNode(0, () => NumaTaskScheduler.CurrentNodeIndex);
        scheduler.QueueOnNode(
            0,
            _ =>
            {
                nodes.Add(NumaTaskScheduler.CurrentNodeIndex);
                done.Signal();
            },
            state: null);

        scheduler.Dispose();

        task.WaitFor();
        Assert.Equal(-1, task.Result);
        done.Signal();
        done.WaitFor();
        Assert.Equal([-1], nodes);
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal("scheduler.drain", fallback.Feature);
        Assert.StartsWith("2 items were still queued and 2 running", fallback.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Dispose_TheLongestDrainTimeout_EndsWhenTheWorkIsDone()
    {
        var scheduler = Start(timeout: TimeSpan.FromDays(1));
        scheduler.Occupy(0, _gate);
        var end = Task.Factory.StartNew(scheduler.Dispose, TaskCreationOptions.LongRunning);
        _gate.Set();

        end.WaitFor();
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Dispose_TheHostsTimeIsOver_DoesNotWaitForItemsThatRun()
    {
        var stop = new StopLimit(TimeProvider.System);
        var options = TestMachine.Options(TestMachine.Plan(2, 1));
        options.Fallbacks = _fallbacks;
        options.DrainTimeout = Timeout.InfiniteTimeSpan;
        options.StopLimit = stop;
        var scheduler = new NumaTaskScheduler(options);
        scheduler.Occupy(0, _gate);
        stop.Begin(TimeSpan.Zero);

        Task.Factory.StartNew(scheduler.Dispose, TaskCreationOptions.LongRunning).WaitFor();

        Assert.Contains(" running 0.05 s after", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Dispose_OnAWorker_ReturnsAndEndsBehindIt()
    {
        var scheduler = Start(prefix: "dispw");

        scheduler.RunOnNode(0, () =>
        {
            scheduler.Dispose();
            scheduler.Dispose();
        }).WaitFor();
        scheduler.Dispose();

        AssertNoThread("dispw");
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Dispose_FromManyThreads_AllWaitForTheEnd()
    {
        var scheduler = Start();
        scheduler.Occupy(0, _gate);
        var ends = Enumerable.Range(0, 4)
            .Select(_ => Task.Factory.StartNew(scheduler.Dispose, TaskCreationOptions.LongRunning)).ToArray();
        Wait.Until(() => Refuses(scheduler));

        Assert.All(ends, static end => Assert.False(end.IsCompleted));
        _gate.Set();
        Task.WhenAll(ends).WaitFor();
    }

    [Fact]
    public void Dispose_SparesToo_LeavesNoThread()
    {
        var scheduler = Start(prefix: "dispn");
        scheduler.Occupy(0, _gate);
        Assert.SkipUnless(Directory.Exists("/proc/self/task"), "no /proc/self/task to see threads in");

        // Looked for while it runs: later the spare may have retired.
        var task = scheduler.RunOnNode(0, () => (ThreadsNamed("dispn0-2"), ThreadsNamed("dispn-monitor")));
        task.WaitFor();
        Assert.NotEmpty(task.Result.Item1);
        Assert.NotEmpty(task.Result.Item2);

        _gate.Set();
        scheduler.Dispose();

        AssertNoThread("dispn");
    }

    [Fact]
    public async Task Dispose_AsyncWorkUnderWay_EndsOnThePool()
    {
        var scheduler = Start();
        var io = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var task = scheduler.RunOnNode(0, async () =>
        {
            await io.Task;
            return NumaTaskScheduler.CurrentNodeIndex;
        });

        Wait.Until(() => scheduler.GetExecuted(0) == 1);
        scheduler.Dispose();
        io.SetResult();

        Assert.Equal(-1, await task);
    }

    [Theory]
    [InlineData(10)]
    [InlineData(40, Traits = ["tier", "deep"])]
    public void Dispose_WhileThreadsQueue_RunsWhatWasAcceptedExactlyOnce(int rounds)
    {
        for (var round = 0; round < rounds; round++)
        {
            var scheduler = new NumaTaskScheduler(TestMachine.Options(
                TestMachine.Plan(2, 1), round % 2 == 0 ? NumaSchedulingPolicy.NodeStrict : NumaSchedulingPolicy.LocalityFirst));
            int accepted = 0, ran = 0;
            Action<object?> item = _ => Interlocked.Increment(ref ran);
            Action<object?> parent = _ =>
            {
                // What was accepted may queue to the end, wherever it runs.
                scheduler.QueueOnNode(1, item, null);
                Interlocked.Increment(ref accepted);
                Interlocked.Increment(ref ran);
            };
            var producers = Enumerable.Range(0, 3).Select(number => Task.Factory.StartNew(
                () =>
                {
                    try
                    {
                        while (true)
                        {
                            scheduler.QueueOnNode(number % 2, number == 2 ? parent : item, null);
                            Interlocked.Increment(ref accepted);
                        }
                    }
                    catch (ObjectDisposedException)
                    {
                        // The end of this producer, and the only one.
                    }
                },
                TaskCreationOptions.LongRunning)).ToArray();

            Wait.Until(() => Volatile.Read(ref ran) > round * 100);
            scheduler.Dispose();
            Task.WhenAll(producers).WaitFor();

            Wait.Until(() => Volatile.Read(ref ran) >= Volatile.Read(ref accepted));
            Assert.Equal(accepted, ran);
        }
    }

    private static bool Refuses(NumaTaskScheduler scheduler)
    {
        try
        {
            scheduler.QueueOnNode(1, static _ => { }, null);
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    // The system's thread ends a moment after it can be joined.
    private static void AssertNoThread(string prefix) => Wait.Until(() => ThreadsNamed(prefix).Count == 0);

    private static List<string> ThreadsNamed(string prefix) =>
        Directory.Exists("/proc/self/task")
            ? [.. Directory.EnumerateDirectories("/proc/self/task").Select(NameOf).Where(name =>
                name.StartsWith(prefix, StringComparison.Ordinal))]
            : [];

    // A thread may end between the listing and the reading.
    private static string NameOf(string directory)
    {
        try
        {
            return File.ReadAllText(Path.Combine(directory, "comm"));
        }
        catch (IOException)
        {
            return "";
        }
    }

    private NumaTaskScheduler Start(TimeSpan? timeout = null, bool compensate = true, string? prefix = null)
    {
        var options = TestMachine.Options(TestMachine.Plan(2, 1));
        options.Fallbacks = _fallbacks;
        options.DrainTimeout = timeout ?? Wait.Limit;
        options.CompensateBlocking = compensate;
        options.ThreadNamePrefix = prefix;
        return new NumaTaskScheduler(options);
    }
}
