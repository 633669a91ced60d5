using NSubstitute;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class WorkDequeTests
{
    private readonly WorkDeque _deque = new();
    private readonly List<int> _ran = [];

    [Fact]
    public void Pop_AfterPushes_GivesTheNewestAndStealTheOldest()
    {
        for (var i = 0; i < 4; i++)
        {
            Assert.True(_deque.TryPush(Numbered(i)));
        }

        Assert.Equal(4, _deque.Count);
        Run(_deque.TryPop(out var newest), newest);
        Run(_deque.TrySteal(out var oldest), oldest);
        Run(_deque.TrySteal(out oldest), oldest);
        Run(_deque.TryPop(out newest), newest);

        Assert.Equal([3, 0, 1, 2], _ran);
        Assert.True(_deque.IsEmpty);
        Assert.False(_deque.TryPop(out _));
        Assert.False(_deque.TrySteal(out _));
    }

    [Fact]
    public void Push_Full_RefusesUntilOneIsTaken()
    {
        for (var i = 0; i < WorkDeque.Capacity; i++)
        {
            Assert.True(_deque.TryPush(Numbered(i)));
        }

        Assert.False(_deque.TryPush(Numbered(-1)));
        Assert.True(_deque.TrySteal(out _));
        Assert.True(_deque.TryPush(Numbered(WorkDeque.Capacity)));
        Run(_deque.TryPop(out var newest), newest);
        Assert.Equal([WorkDeque.Capacity], _ran);
    }

    [Fact]
    public void TryTakeBack_OfSeveral_TakesTheNewestOnly()
    {
        var (first, last) = (new Task(static () => { }), new Task(static () => { }));
        var (runner, other) = (Substitute.For<ITaskRunner>(), Substitute.For<ITaskRunner>());
        Assert.False(_deque.TryTakeBack(first, runner));
        Assert.True(_deque.TryPush(new WorkItem(first, runner)));
        Assert.True(_deque.TryPush(new WorkItem(last, runner)));

        Assert.False(_deque.TryTakeBack(first, runner));
        Assert.False(_deque.TryTakeBack(last, other));
        Assert.True(_deque.TryTakeBack(last, runner));
        Assert.False(_deque.TryTakeBack(last, runner));
        Assert.Equal(1, _deque.Count);

        Assert.True(_deque.TrySteal(out _));
        Assert.False(_deque.TryTakeBack(first, runner));
        Assert.True(_deque.IsEmpty);
    }

    [Fact]
    public void ClearStolen_Empty_KeepsNoReferences()
    {
        var references = FillAndSteal();
        GC.Collect();
        Assert.Contains(references, static reference => reference.IsAlive);

        _deque.ClearStolen();

        GC.Collect();
        Assert.DoesNotContain(references, static reference => reference.IsAlive);
        for (var i = 0; i < WorkDeque.Capacity; i++)
        {
            Assert.True(_deque.TryPush(Numbered(i)));
        }

        Assert.Equal(WorkDeque.Capacity, _deque.Count);
    }

    [Theory]
    [InlineData(300_000)]
    [InlineData(2_000_000, Traits = ["tier", "deep"])]
    public void PopAndSteal_AtTheSameTime_GiveEachItemOnce(int items)
    {
        const int Thieves = 3;
        var counts = new int[items];
        var isDone = false;
        Action<object?> count = number => Interlocked.Increment(ref counts[(int)number!]);
        var numbers = Enumerable.Range(0, items).Select(static number => (object)number).ToArray();
        var thieves = Enumerable.Range(0, Thieves).Select(_ => TestThreads.Start(() =>
        {
            while (!Volatile.Read(ref isDone))
            {
                if (_deque.TrySteal(out var item))
                {
                    item.Execute();
                }
            }
        })).ToList();

        // Mostly around empty, where owner and thieves want the same item; now and then full.
        var random = new Random(1);
        for (var next = 0; next < items;)
        {
            var burst = random.Next(100) == 0 ? WorkDeque.Capacity : 3;
            for (var pushes = random.Next(burst) + 1; pushes > 0 && next < items; pushes--)
            {
                if (!_deque.TryPush(new WorkItem(count, numbers[next])))
                {
                    break;
                }

                next++;
            }

            for (var pops = random.Next(4); pops > 0 && _deque.TryPop(out var item); pops--)
            {
                item.Execute();
            }

            if (_deque.IsEmpty)
            {
                _deque.ClearStolen();
            }
        }

        while (_deque.TryPop(out var item))
        {
            item.Execute();
        }

        Volatile.Write(ref isDone, true);
        thieves.ForEach(static thread => Wait.For(thread));
        Assert.Equal(-1, Array.FindIndex(counts, static count => count != 1));
    }

    private WeakReference[] FillAndSteal()
    {
        var states = Enumerable.Range(0, 8).Select(static _ => new object()).ToArray();
        foreach (var state in states)
        {
            _deque.TryPush(new WorkItem(static _ => { }, state));
        }

        while (_deque.TrySteal(out _))
        {
        }

        return [.. states.Select(static state => new WeakReference(state))];
    }

    private WorkItem Numbered(int number) => new(_ => _ran.Add(number), state: null);

    private static void Run(bool isThere, in WorkItem item)
    {
        Assert.True(isThere);
        item.Execute();
    }
}
