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
        Assert.InRange(_queue.Last.Capacity, 10_000, SharedQueue.MaxCapacity);
    }

    [Fact]
    public void Enqueue_FullWhileFewWaitAndManyHave_IsNoSmaller()
    {
        var item = Numbered(0);
        Fill(item);
        var ring = _queue.Last;
        _queue.Enqueue(item);
        Assert.True(ring.TryClaim(out _));
        while (ReferenceEquals(ring, _queue.Last))
        {
            _queue.Enqueue(item);
            _queue.TryDequeue(out _);
        }

        Assert.InRange(ring.Capacity, 10_000, _queue.Last.Capacity);
    }

    [Theory]
    [InlineData(10)]
    [InlineData(4352)]
    public void Enqueue_ConsumersArePreemptedWhileTheyTake_GrowsByWhatWaits(int waiting)
    {
        var (queued, held) = (0, new List<(WorkRing Ring, long Position)>());
        Enqueue(waiting);
        PassThrough(2 * _queue.Last.Capacity);

        // Each in another ring, which looks full when its tail comes round to the slot that the consumer does not free.
        for (var i = 0; i < 7; i++)
        {
            var ring = _queue.Last;
            Assert.True(ring.TryClaim(out var position));
            held.Add((ring, position));
            PassThrough(ring.Capacity);
            Assert.NotSame(ring, _queue.Last);
            PassThrough(_queue.Last.Capacity);
        }

        Assert.InRange(_queue.Last.Capacity, waiting, Math.Max(4 * waiting, SharedQueue.MinCapacity));

        held.ForEach(static claim => claim.Ring.Take(claim.Position).Execute());
        while (_queue.TryDequeue(out var item))
        {
            item.Execute();
        }

        Assert.Equal(Enumerable.Range(0, queued), _ran.Order());

        void Enqueue(int count)
        {
            for (var end = queued + count; queued < end; queued++)
            {
                _queue.Enqueue(Numbered(queued));
            }
        }

        void PassThrough(int count)
        {
            for (; count > 0; count--)
            {
                Enqueue(1);
                Assert.True(_queue.TryDequeue(out var item));
                item.Execute();
            }
        }
    }

    [Fact]
    public void Trim_JustGrown_KeepsTheRing()
    {
        var before = Environment.TickCount64;
        Fill(Numbered(0));
        var capacity = _queue.Last.Capacity;

        _queue.Trim(before + SharedQueue.ShrinkAfterMilliseconds);

        Assert.Equal(capacity, _queue.Last.Capacity);
    }

    [Fact]
    public void Trim_NotNeededForAWhile_GivesTheLargeRingBack()
    {
        Fill(Numbered(0));

        _queue.Trim(Environment.TickCount64 + SharedQueue.ShrinkAfterMilliseconds + 1);

        Assert.Equal(SharedQueue.MinCapacity, _queue.Last.Capacity);

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
    [Trait("kind", "stress")]
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
                if (number < previous)
                {
                    Interlocked.Increment(ref disorder);
                }

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
