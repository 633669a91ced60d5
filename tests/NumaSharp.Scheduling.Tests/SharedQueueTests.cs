using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class SharedQueueTests
{
    private readonly SharedQueue _queue = new();
    private readonly List<int> _ran = [];

    [Fact]
    public void Queue_Empty_GivesNothing()
    {
        Assert.True(_queue.IsEmpty);
        Assert.Equal(0, _queue.Count);
        Assert.False(_queue.TryDequeue(out _));
    }

    [Fact]
    public void Dequeue_FarMoreThanARingHolds_GivesAllInOrder()
    {
        const int Items = SharedQueue.MaxCapacity + (3 * SharedQueue.MinCapacity);
        for (var i = 0; i < Items; i++)
        {
            _queue.Enqueue(Numbered(i));
        }

        Assert.Equal(Items, _queue.Count);
        Assert.Equal(Items, _queue.Snapshot().Count());
        while (_queue.TryDequeue(out var item))
        {
            item.Execute();
        }

        Assert.Equal(Enumerable.Range(0, Items), _ran);
        Assert.True(_queue.IsEmpty);
        Assert.Equal(0, _queue.Count);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void Enqueue_OnceItHasGrown_AllocatesNothing()
    {
        var item = Numbered(0);
        Assert.Equal(0, Allocations.OfSteadyState(() => Fill(item), count: 10, warmUp: 10));
        Assert.InRange(_queue.Capacity, 10_000, SharedQueue.MaxCapacity);
    }

    [Fact]
    public void Trim_JustGrown_KeepsTheRing()
    {
        var before = Environment.TickCount64;
        Fill(Numbered(0));
        var capacity = _queue.Capacity;

        _queue.Trim(before + SharedQueue.ShrinkAfterMilliseconds);

        Assert.Equal(capacity, _queue.Capacity);
    }

    [Fact]
    public void Trim_NotNeededForAWhile_GivesTheLargeRingBack()
    {
        Fill(Numbered(0));

        _queue.Trim(Environment.TickCount64 + SharedQueue.ShrinkAfterMilliseconds + 1);

        Assert.Equal(SharedQueue.MinCapacity, _queue.Capacity);

        _queue.Enqueue(Numbered(7));
        Assert.True(_queue.TryDequeue(out var item));
        item.Execute();
        Assert.Equal([7], _ran);
    }

    [Fact]
    public void Dequeue_Taken_KeepsNoReference()
    {
        var reference = EnqueueAndDequeue();

        GC.Collect();

        Assert.False(reference.IsAlive);
        Assert.True(_queue.IsEmpty);
    }

    [Theory]
    [InlineData(1, 3, false)]
    [InlineData(3, 1, false)]
    [InlineData(3, 3, true)]
    public void EnqueueAndDequeue_AtTheSameTime_GiveEachItemOnceAndInOrder(int producers, int consumers, bool trims)
    {
        const int PerProducer = 200_000;
        var counts = new int[producers * PerProducer];
        var left = counts.Length;
        var disorder = 0;
        var threads = Enumerable.Range(0, producers).Select(producer => TestThreads.Start(() =>
        {
            for (var i = 0; i < PerProducer; i++)
            {
                _queue.Enqueue(new WorkItem(static _ => { }, (producer * PerProducer) + i));
            }
        })).Concat(Enumerable.Range(0, consumers).Select(_ => TestThreads.Start(() =>
        {
            var last = Enumerable.Repeat(-1, producers).ToArray();
            while (Volatile.Read(ref left) > 0)
            {
                if (trims)
                {
                    _queue.Trim();
                }

                if (!_queue.TryDequeue(out var item))
                {
                    Thread.Yield();
                    continue;
                }

                var number = (int)item.State!;
                Interlocked.Increment(ref counts[number]);
                Interlocked.Decrement(ref left);
                ref var previous = ref last[number / PerProducer];
                disorder += number < previous ? 1 : 0;
                previous = number;
            }
        }))).ToList();

        threads.ForEach(static thread => Wait.For(thread));

        Assert.Equal(-1, Array.FindIndex(counts, static count => count != 1));
        Assert.Equal(0, disorder);
    }

    private void Fill(in WorkItem item)
    {
        for (var i = 0; i < 10_000; i++)
        {
            _queue.Enqueue(item);
        }

        while (_queue.TryDequeue(out _))
        {
        }
    }

    private WeakReference EnqueueAndDequeue()
    {
        var state = new object();
        _queue.Enqueue(new WorkItem(static _ => { }, state));
        Assert.True(_queue.TryDequeue(out _));
        return new WeakReference(state);
    }

    private WorkItem Numbered(int number) => new(_ => _ran.Add(number), state: null);
}
