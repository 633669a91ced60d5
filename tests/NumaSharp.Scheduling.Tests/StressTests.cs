using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// No item lost, none run twice, no wake-up lost. Without compensation: a worker that misses its wake-up must hang the test,
/// not be helped out by a spare.
/// </summary>
[Trait("kind", "stress")]
public sealed class StressTests
{
    private const int Producers = 4;

    [Theory]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 2, 2)]
    [InlineData(NumaSchedulingPolicy.NodeStrict, 2, 2)]
    [InlineData(NumaSchedulingPolicy.Spread, 1, 3)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 1, 0, 1, 1)]
    public async Task Items_FromOutsideAndInside_RunExactlyOnce(NumaSchedulingPolicy policy, params int[] cpusPerNode)
    {
        const int PerProducer = 50_000;
        using var scheduler = Start(policy, cpusPerNode);
        var counts = new int[Producers * PerProducer * 3];
        using var done = new CountdownEvent(counts.Length);
        var numbers = Enumerable.Range(0, counts.Length).Select(static number => (object)number).ToArray();
        var nodes = cpusPerNode.Length;
        Action<object?> count = null!;
        count = state =>
        {
            // Of three items the first is from outside; it queues the others: one here, one on the next node.
            var number = (int)state!;
            if (number % 3 == 0)
            {
                scheduler.QueueOnNode(Math.Max(NumaTaskScheduler.CurrentNodeIndex, 0), count, numbers[number + 1]);
                scheduler.QueueOnNode(number % nodes, count, numbers[number + 2]);
            }

            Interlocked.Increment(ref counts[number]);
            done.Signal();
        };

        var producers = Enumerable.Range(0, Producers).Select(producer => Task.Factory.StartNew(
            () =>
            {
                for (var i = 0; i < PerProducer; i++)
                {
                    scheduler.QueueOnNode((i + producer) % nodes, count, numbers[((producer * PerProducer) + i) * 3]);
                }
            },
            TaskCreationOptions.LongRunning)).ToArray();

        // How long it takes depends on the machine; the test only waits for progress.
        await Task.WhenAll(producers);
        Wait.WhileItCounts(done);
        Assert.Equal(-1, Array.FindIndex(counts, static count => count != 1));
        Wait.Until(() => Enumerable.Range(0, nodes).Sum(scheduler.GetExecuted) == counts.Length);
        Assert.Equal(0, Enumerable.Range(0, nodes).Sum(scheduler.GetQueueLength));
    }

    [Theory]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 1)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 2)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, 1, 1)]
    [InlineData(NumaSchedulingPolicy.NodeStrict, 2, 2)]
    public async Task Wakeups_AroundIdle_AreNeverLost(NumaSchedulingPolicy policy, params int[] cpusPerNode)
    {
        // Each producer waits for its own item before it queues the next: one lost wake-up and it waits for ever.
        const int Rounds = 10_000;
        using var scheduler = Start(policy, cpusPerNode);
        var producers = Enumerable.Range(0, 3).Select(producer => Task.Factory.StartNew(
            () =>
            {
                using var ran = new AutoResetEvent(false);
                Action<object?> set = static state => ((AutoResetEvent)state!).Set();
                Action<object?> twice = state => scheduler.QueueOnNode(0, set, state);
                var random = new Random(producer);
                for (var i = 0; i < Rounds; i++)
                {
                    scheduler.QueueOnNode(random.Next(cpusPerNode.Length), random.Next(2) == 0 ? set : twice, ran);
                    Thread.SpinWait(random.Next(200));
                    ran.WaitFor();
                }
            },
            TaskCreationOptions.LongRunning)).ToArray();

        // Each wait above has its limit.
        await Task.WhenAll(producers);
    }

    [Fact]
    public void Tasks_ForkAndJoin_GiveTheRightSum()
    {
        using var scheduler = Start(NumaSchedulingPolicy.LocalityFirst, 2, 2);

        var task = scheduler.RunOnNode(0, () => Fibonacci(18));
        task.WaitFor();

        Assert.Equal(2584, task.Result);

        static async Task<int> Fibonacci(int n)
        {
            if (n < 2)
            {
                return n;
            }

            var other = Task.Factory.StartNew(
                () => Fibonacci(n - 1), default, TaskCreationOptions.None, TaskScheduler.Current).Unwrap();
            return await Fibonacci(n - 2) + await other;
        }
    }

    [Fact]
    public void Item_QueuesMoreThanItsWorkersQueueHolds_NoneIsLost()
    {
        const int Items = WorkDeque.Capacity * 5;
        using var scheduler = Start(NumaSchedulingPolicy.NodeStrict, 1);
        using var done = new CountdownEvent(Items);
        Action<object?> signal = _ => done.Signal();

        scheduler.QueueOnNode(
            0,
            _ =>
            {
                for (var i = 0; i < Items; i++)
                {
                    scheduler.QueueOnNode(0, signal, null);
                }
            },
            state: null);

        Wait.WhileItCounts(done);
    }

    [Fact]
    public void Spares_ComeAndGoUnderLoad_NoItemIsLost()
    {
        const int Items = 3_000;
        var options = TestMachine.Options(TestMachine.Plan(2));
        using var scheduler = new NumaTaskScheduler(options);
        using var done = new CountdownEvent(Items * 2);
        using var never = new ManualResetEventSlim(false);
        Action<object?> child = _ => done.Signal();
        Action<object?> parent = state =>
        {
            scheduler.QueueOnNode(0, child, null);
            if ((int)state! % 100 < 8)
            {
                never.Wait(20);
            }

            done.Signal();
        };

        for (var i = 0; i < Items; i++)
        {
            scheduler.QueueOnNode(0, parent, i);
        }

        Wait.WhileItCounts(done);
        Wait.Until(() => scheduler.GetWorkerCount(0) == 2 && scheduler.GetExecuted(0) == Items * 2);
    }

    private static NumaTaskScheduler Start(NumaSchedulingPolicy policy, params int[] cpusPerNode) =>
        TestMachine.Start(policy, cpusPerNode);
}
