using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Threads that nothing pins, and where their memory comes from after they have moved.</summary>
public sealed unsafe class AllocatorHomeTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();
    private readonly ThreadOnNode _threads = new();

    [Fact]
    public void Allocate_ThreadHasMoved_ComesFromItsNewNodeAfterASecond() => TestThreads.Run(() =>
    {
        using var allocator = Create();
        Assert.Equal([0], NodesOf(allocator, 1000));
        _threads.NodeId = new(1);
        _time.Advance(s_second);

        Assert.Equal([1], NodesOf(allocator, 1000));

        // The second time, too: nothing but a tick sends the thread there.
        _threads.NodeId = new(0);
        Assert.Equal([1], NodesOf(allocator, 1));
        _time.Advance(s_second);
        Assert.Equal([0], NodesOf(allocator, 1000));
    });

    [Fact]
    public void Allocate_OtherThreadsMove_EachComesFromItsOwnNode() => TestThreads.Run(() =>
    {
        using var allocator = Create();
        NodesOf(allocator, 1);
        using var hasMoved = new ManualResetEventSlim();
        using var mayAllocate = new Gate();
        int[] ofOther = [];
        var other = TestThreads.Start(() =>
        {
            _threads.NodeId = new(1);
            NodesOf(allocator, 1);
            _threads.NodeId = new(2);
            hasMoved.Set();
            mayAllocate.Pass();
            ofOther = NodesOf(allocator, 10);
        });
        Wait.For(hasMoved);
        _time.Advance(s_second);
        mayAllocate.Open();
        Wait.For(other);

        Assert.Equal([2], ofOther);
        Assert.Equal([0], NodesOf(allocator, 10));
    });

    [Fact]
    public void Timer_NoAllocations_EndsAndComesBackWithTheNextUse() => TestThreads.Run(() =>
    {
        using var allocator = Create();
        Assert.Equal(0, _time.TimerCount);
        NodesOf(allocator, 1);
        _time.Advance(10 * s_second);
        _time.Advance(10 * s_second);
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Interval);
        var changes = _time.Changes.Count;
        _time.Advance(10 * s_second);
        Assert.Equal(changes, _time.Changes.Count);

        _threads.NodeId = new(1);
        Assert.Equal([1], NodesOf(allocator, 1));
        Assert.Equal(changes + 1, _time.Changes.Count);
        _threads.NodeId = new(2);
        _time.Advance(s_second);
        Assert.Equal([2], NodesOf(allocator, 1));
    });

    [Fact]
    public void Timer_OneNodeOrDisposed_IsNotThere()
    {
        using var single = new NumaAllocator(TestMachines.WithIds(0).Plan(), Options());
        single.Free(single.Allocate(64));
        var allocator = Create();
        allocator.Free(allocator.Allocate(64));
        Assert.Equal(1, _time.TimerCount);
        allocator.Dispose();
        Assert.Equal(0, _time.TimerCount);
    }

    [Fact]
    public void OpenHeap_LongAgo_StaysOnItsNodeAndOffTheSlowPath() => TestThreads.Run(() =>
    {
        using var allocator = Create();
        var heap = allocator.OpenHeap();
        heap.Free(heap.Allocate(64));
        _threads.NodeId = new(1);
        _time.Advance(s_second);
        var questions = _threads.Questions;
        for (var i = 0; i < 1000; i++)
        {
            var block = heap.Allocate(64);
            Assert.Equal(0, allocator.GetNodeId(block).Value);
            heap.Free(block);
        }

        Assert.Equal(questions, _threads.Questions);
    });

    [Fact]
    public void Allocate_BetweenTicks_QueriesNoNode() => TestThreads.Run(() =>
    {
        using var allocator = Create();
        NodesOf(allocator, 1);
        _time.Advance(s_second);
        NodesOf(allocator, 1);
        var questions = _threads.Questions;
        NodesOf(allocator, 1000);
        Assert.Equal(questions, _threads.Questions);
    });

    [Fact]
    public void Allocate_InterruptedWhileAnotherThreadStartsTheTimer_Succeeds()
    {
        using var gate = new Gate();
        using var starting = new ManualResetEventSlim();
        using var allocator = new NumaAllocator(TestMachines.WithIds(0, 1).Plan(), Options());
        _time.OnNextTimerCall = () =>
        {
            starting.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => NodesOf(allocator, 1));
        Wait.For(starting);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => NodesOf(allocator, 1));
        });
        Wait.For(other);
        gate.Open();
        Wait.For(one);

        Assert.Null(outcome);
    }

    private static int[] NodesOf(NumaAllocator allocator, int times)
    {
        var nodes = new HashSet<int>();
        for (var i = 0; i < times; i++)
        {
            var block = allocator.Allocate(64);
            nodes.Add(allocator.GetNodeId(block).Value);
            allocator.Free(block);
        }

        return [.. nodes];
    }

    private NumaAllocator Create() => new(TestMachines.WithIds(0, 1, 2).Plan(), Options());

    private NumaAllocatorOptions Options() => new() { Affinity = _threads, Time = _time };
}
