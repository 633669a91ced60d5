using System.Runtime.CompilerServices;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class WorkBatchTests
{
    private readonly SharedQueue _queue = new();
    private readonly WorkBatch _batch = new();

    [Theory]
    [InlineData(1, 1)]
    [InlineData(WorkBatch.LeastReady - 1, 1)]
    [InlineData(WorkBatch.LeastReady, 4)]
    [InlineData(11, 6)]
    [InlineData(15, 8)]
    [InlineData(1000, 8)]
    public void Dequeue_IntoABatch_TakesTheOlderHalfUpToALimit(int queued, int taken)
    {
        Enqueue(0, queued);

        Assert.True(_queue.TryDequeue(_batch, out var first));

        Assert.Equal(0, first.State);
        Assert.Equal(taken - 1, _batch.Count);
        Assert.Equal(queued - taken, _queue.Count);
        Assert.Equal(Enumerable.Range(1, taken - 1), _batch.Snapshot().Select(static item => (int)item.State!));
        Assert.Equal(Enumerable.Range(1, taken - 1), TakeAll());
        Assert.True(_batch.IsEmpty);
    }

    [Fact]
    public void Dequeue_AgainAndAgain_KeepsTheOrderAcrossRings()
    {
        const int Items = SharedQueue.MinCapacity * 5;
        Enqueue(0, Items);

        var order = new List<int>();
        while (_queue.TryDequeue(_batch, out var item))
        {
            order.Add((int)item.State!);
            order.AddRange(TakeAll());
        }

        Assert.Equal(Enumerable.Range(0, Items), order);
    }

    [Fact]
    public void Dequeue_Empty_TakesNothing()
    {
        Assert.False(_queue.TryDequeue(_batch, out _));
        Assert.True(_batch.IsEmpty);
        Assert.False(_batch.TryTake(out _));
    }

    [Fact]
    public void Pop_KeepsNoReference()
    {
        var reference = Pass(isOwner: true);

        GC.Collect();
        Assert.False(reference.IsAlive);
    }

    [Fact]
    public void Clear_Empty_KeepsNoReference()
    {
        var reference = Pass(isOwner: false);
        GC.Collect();
        Assert.True(reference.IsAlive);

        _batch.Clear();

        GC.Collect();
        Assert.False(reference.IsAlive);
    }

    [Theory]
    [Trait("kind", "stress")]
    [InlineData(1)]
    [InlineData(3)]
    public void FillAndTake_AtTheSameTime_GiveEachItemOnceAndInOrder(int thieves)
    {
        const int Items = 300_000;
        var counts = new int[Items];
        var (left, disorder) = (Items, 0);
        void Take(ref int last, WorkItem item)
        {
            var number = (int)item.State!;
            Interlocked.Increment(ref counts[number]);
            Interlocked.Decrement(ref left);
            if (number < last)
            {
                Interlocked.Increment(ref disorder);
            }

            last = number;
        }

        TestThreads.Run(thieves + 1, index =>
        {
            var (last, queued) = (-1, 0);
            while (Volatile.Read(ref left) > 0)
            {
                if (index == 0 && _batch.IsEmpty)
                {
                    _batch.Clear();
                    var more = Math.Min(1 + (queued % 31), Items - queued);
                    Enqueue(queued, more);
                    queued += more;
                    if (_queue.TryDequeue(_batch, out var first))
                    {
                        Take(ref last, first);
                    }
                }
                else if (index == 0 ? _batch.TryPop(out var item) : _batch.TryTake(out item))
                {
                    Take(ref last, item);
                }
            }
        });

        Assert.Equal(-1, Array.FindIndex(counts, static count => count != 1));
        Assert.Equal(0, disorder);
    }

    private void Enqueue(int first, int count)
    {
        for (var i = first; i < first + count; i++)
        {
            _queue.Enqueue(new WorkItem(static _ => { }, i));
        }
    }

    private List<int> TakeAll()
    {
        var taken = new List<int>();
        while (_batch.TryPop(out var item))
        {
            taken.Add((int)item.State!);
        }

        return taken;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference Pass(bool isOwner)
    {
        var state = new object();
        Enqueue(0, 1);
        _queue.Enqueue(new WorkItem(static _ => { }, state));
        Enqueue(1, WorkBatch.LeastReady);
        Assert.True(_queue.TryDequeue(_batch, out _));
        while (isOwner ? _batch.TryPop(out _) : _batch.TryTake(out _))
        {
        }

        return new WeakReference(state);
    }
}
