using System.Runtime.CompilerServices;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class QueueWithStateTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1);

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public void QueueOnNode_StatesOfAnyType_AreGivenToTheCallbackOnTheNode()
    {
        using var done = new CountdownEvent(4);
        var seen = new object?[4];

        _scheduler.QueueOnNode(1, (int given) => { seen[0] = (given, NumaTaskScheduler.CurrentNodeIndex); done.Signal(); }, 42);
        _scheduler.QueueOnNode(1, given => { seen[1] = given.Length; done.Signal(); }, "three");
        _scheduler.QueueOnNode(0, given => { seen[2] = given.Left + given.Right; done.Signal(); }, (Left: 1L, Right: 2L));
        _scheduler.QueueOnNode(0, given => { seen[3] = given; done.Signal(); }, (string?)null);

        done.WaitFor();
        Assert.Equal([(42, 1), 5, 3L, null], seen);
    }

    [Fact]
    public void QueueOnNode_NoCallbackOrNoNode_Throws()
    {
        Assert.Throws<ArgumentNullException>(() => _scheduler.QueueOnNode(0, (Action<int>)null!, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => _scheduler.QueueOnNode(2, static (int _) => { }, 1));
    }

    [Fact]
    public void QueueOnNode_AfterDispose_Throws()
    {
        _scheduler.Dispose();

        Assert.Throws<ObjectDisposedException>(() => _scheduler.QueueOnNode(0, static (int _) => { }, 1));
    }

    [Fact]
    public void QueueOnNode_FailingCallbackWithState_GoesToTheHandler()
    {
        using var handled = new CountdownEvent(1);
        var options = TestMachine.Options(TestMachine.Plan(1));
        options.UnhandledException = e =>
        {
            Assert.Equal("7", e.Message);
            handled.Signal();
        };
        using var scheduler = new NumaTaskScheduler(options);

        scheduler.QueueOnNode(0, static number => throw new InvalidTimeZoneException($"{number}"), 7);

        handled.WaitFor();
    }

    [Fact]
    public void QueueOnNode_StateThatHasBeenUsed_IsNotKept()
    {
        var state = QueueSomethingLarge();

        Wait.UntilCollected(() => !state.IsAlive);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(500)]
    [Trait("kind", "allocation")]
    public void QueueOnNode_ValueStateFromOutsideInSteadyState_AllocatesNothing(int burst)
    {
        // Per thread, because other tests run at the same time. The node has one worker.
        var (ofProducer, ofWorker) = (new AllocationAttempts(), new AllocationAttempts());
        var rounds = 0;
        var state = new Counted { Done = new CountdownEvent(burst) };
        for (; rounds < 500 || !ofProducer.AreOver || !ofWorker.AreOver; rounds++)
        {
            var (producer, worker) = (GC.GetAllocatedBytesForCurrentThread(), state.AllocatedByWorker);
            for (var i = 0; i < burst; i++)
            {
                _scheduler.QueueOnNode(0, static given => given.State.Note(given.Number), (State: state, Number: i));
            }

            producer = GC.GetAllocatedBytesForCurrentThread() - producer;
            state.Done.WaitFor();
            state.Done.Reset();
            ofProducer.Add(producer);
            ofWorker.Add(state.AllocatedByWorker - worker);
        }

        Assert.Equal((long)rounds * burst * (burst - 1) / 2, state.Sum);
        Assert.Equal((0, 0), (ofProducer.Least, ofWorker.Least));
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void QueueOnNode_ValueStateFromAWorkerInSteadyState_AllocatesNothing()
    {
        var attempts = new AllocationAttempts();
        void QueueMany()
        {
            for (var round = 0; round < 100; round++)
            {
                var before = GC.GetAllocatedBytesForCurrentThread();
                for (var i = 0; i < 100; i++)
                {
                    _scheduler.QueueOnNode(0, static (int _) => { }, i);
                }

                attempts.Add(GC.GetAllocatedBytesForCurrentThread() - before);
            }
        }

        // The items run on the same worker afterwards, and are there again for the next turn.
        while (!attempts.AreOver)
        {
            _scheduler.RunOnNode(0, QueueMany).WaitFor();
        }

        Assert.Equal(0, attempts.Least);
    }

    [Fact]
    public void QueueOnNode_MoreThanArePooled_AllRunOnce()
    {
        const int Count = 20_000;
        using var gate = new ManualResetEvent(false);
        using var done = new CountdownEvent(Count);
        var runs = new int[Count];
        _scheduler.Occupy(0, gate);

        for (var i = 0; i < Count; i++)
        {
            _scheduler.QueueOnNode(
                0,
                given =>
                {
                    runs[given]++;
                    done.Signal();
                },
                i);
        }

        gate.Set();
        done.WaitFor();
        Assert.All(runs, static count => Assert.Equal(1, count));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference QueueSomethingLarge()
    {
        using var done = new ManualResetEvent(false);
        var large = new Large();
        _scheduler.QueueOnNode(0, static given => given.Done.Set(), (Large: large, Done: done));
        done.WaitFor();
        _scheduler.RunOnNode(0, () => { }).WaitFor();
        return new WeakReference(large);
    }

    private sealed class Large
    {
        public byte[] Bytes { get; } = new byte[1 << 20];
    }

    private sealed class Counted
    {
        public required CountdownEvent Done { get; init; }

        public long Sum { get; private set; }

        public long AllocatedByWorker { get; private set; }

        public void Note(int number)
        {
            Sum += number;
            AllocatedByWorker = GC.GetAllocatedBytesForCurrentThread();
            Done.Signal();
        }
    }
}
