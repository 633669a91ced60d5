using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

[Collection(nameof(ProcessWide))]
public sealed class QueueOnNodeTests
{
    [Fact]
    public void QueueOnNode_CallbackAndItem_RunOnTheNode()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);
        using var done = new CountdownEvent(2);
        var nodes = new ConcurrentBag<(int Node, object? State)>();
        var state = new object();

        scheduler.QueueOnNode(
            1,
            given =>
            {
                nodes.Add((NumaTaskScheduler.CurrentNodeIndex, given));
                done.Signal();
            },
            state);
        scheduler.QueueOnNode(0, new Item(() =>
        {
            nodes.Add((NumaTaskScheduler.CurrentNodeIndex, null));
            done.Signal();
        }));

        done.WaitFor();
        Assert.Equal([(0, null), (1, state)], nodes.OrderBy(static entry => entry.Node));
    }

    [Fact]
    public void QueueOnNode_StateIsATaskSchedulerOrATask_IsGivenToTheCallback()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        using var done = new CountdownEvent(3);
        var seen = new ConcurrentQueue<object?>();
        object?[] states = [scheduler.ForNode(new(0)), Task.CompletedTask, null];

        foreach (var state in states)
        {
            scheduler.QueueOnNode(
                0,
                given =>
                {
                    seen.Enqueue(given);
                    done.Signal();
                },
                state);
        }

        done.WaitFor();
        Assert.Equal(states, seen);
    }

    [Fact]
    public void QueueOnNode_FromOutside_KeepsTheOrderOnOneWorker()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        using var done = new CountdownEvent(1000);
        var order = new List<int>();

        for (var i = 0; i < 1000; i++)
        {
            scheduler.QueueOnNode(
                0,
                number =>
                {
                    order.Add((int)number!);
                    done.Signal();
                },
                i);
        }

        done.WaitFor();
        Assert.Equal(Enumerable.Range(0, 1000), order);
    }

    [Fact]
    public void QueueOnNode_ItemsThatQueueThemselvesForEver_LeaveRoomForOthers()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        using var outer = new ManualResetEvent(false);
        using var inner = new ManualResetEvent(false);
        var stop = false;
        Item? greedy = null;
        greedy = new Item(() =>
        {
            if (!Volatile.Read(ref stop))
            {
                scheduler.QueueOnNode(0, greedy!);
            }
        });

        scheduler.QueueOnNode(0, new Item(() =>
        {
            scheduler.QueueOnNode(0, new Item(() => inner.Set()));
            scheduler.QueueOnNode(0, greedy);
        }));
        inner.WaitFor();
        scheduler.QueueOnNode(0, new Item(() => outer.Set()));
        outer.WaitFor();
        Volatile.Write(ref stop, true);
    }

    [Fact]
    public void QueueOnNode_ContextsOfCallerAndOfEarlierItems_DoNotFlow()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        using var done = new CountdownEvent(1);
        var local = new AsyncLocal<string?> { Value = "caller's" };
        var seen = new List<string?>();
        SynchronizationContext? context = null;

        scheduler.QueueOnNode(0, new Item(() =>
        {
            seen.Add(local.Value);
            local.Value = "earlier item's";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        }));
        scheduler.QueueOnNode(0, new Item(() =>
        {
            seen.Add(local.Value);
            context = SynchronizationContext.Current;
            done.Signal();
        }));

        done.WaitFor();
        Assert.Equal([null, null], seen);
        Assert.Null(context);
    }

    [Fact]
    public void QueueOnNode_Exception_GoesToTheHandlerAndTheWorkerContinues()
    {
        using var handled = new CountdownEvent(100);
        var threads = new ConcurrentDictionary<int, bool>();
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.CompensateBlocking = false;
        options.UnhandledException = e =>
        {
            Assert.IsType<InvalidTimeZoneException>(e);
            threads[Environment.CurrentManagedThreadId] = true;
            handled.Signal();
        };
        using var scheduler = new NumaTaskScheduler(options);

        for (var i = 0; i < 100; i++)
        {
            scheduler.QueueOnNode(0, static _ => throw new InvalidTimeZoneException(), null);
        }

        handled.WaitFor();
        Assert.Single(threads);
        Assert.Equal(1, scheduler.GetWorkerCount(0));
    }

    [Fact]
    public void QueueOnNode_ExceptionWithoutHandlerOrInIt_IsUnhandledLikeThePools()
    {
        // The runtime takes one such filter per process: only what these items throw is kept from ending it.
        using var seen = new CountdownEvent(2);
        ExceptionHandling.SetUnhandledExceptionHandler(e =>
        {
            var isOurs = e is ProbeException or AggregateException { InnerExceptions: [ProbeException, ProbeException] };
            return isOurs && seen.Signal() | true;
        });
        using var without = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.UnhandledException = static _ => throw new ProbeException();
        using var failing = new NumaTaskScheduler(options);

        without.QueueOnNode(0, static _ => throw new ProbeException(), null);
        failing.QueueOnNode(0, static _ => throw new ProbeException(), null);

        seen.WaitFor();
        without.RunOnNode(0, () => { }).WaitFor();
        failing.RunOnNode(0, () => { }).WaitFor();
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void QueueOnNode_InSteadyState_AllocatesNothing()
    {
        // The producer's queueing, and all that the two workers do.
        const int Burst = 50;
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.LocalityFirst, 1, 1);
        var ofWorker = new long[2];
        var left = 0;
        Action<object?> callback = _ =>
        {
            ofWorker[NumaTaskScheduler.CurrentNodeIndex] = GC.GetAllocatedBytesForCurrentThread();
            Interlocked.Decrement(ref left);
        };
        var inner = new Item(() => callback(null));
        var outer = new Item(() =>
        {
            scheduler.QueueOnNode(0, inner);
            callback(null);
        });
        Func<bool> isDone = () => Volatile.Read(ref left) == 0;

        long Run(int rounds)
        {
            var before = ofWorker.Sum();
            long ofProducer = 0;
            for (var round = 0; round < rounds; round++)
            {
                Volatile.Write(ref left, 3 * Burst);
                var begun = GC.GetAllocatedBytesForCurrentThread();
                for (var i = 0; i < Burst; i++)
                {
                    scheduler.QueueOnNode(0, outer);
                    scheduler.QueueOnNode(1, callback, scheduler);
                }

                ofProducer += GC.GetAllocatedBytesForCurrentThread() - begun;
                Wait.Until(isDone);
            }

            return ofProducer + ofWorker.Sum() - before;
        }

        Run(2_000);
        var attempts = new AllocationAttempts();
        while (!attempts.AreOver)
        {
            attempts.Add(Run(200));
        }

        Assert.Equal(0, attempts.Least);
    }

    private sealed class ProbeException : Exception;

    private sealed class Item(Action work) : IThreadPoolWorkItem
    {
        public void Execute() => work();
    }
}
