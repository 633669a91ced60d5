using System.Collections.Concurrent;
using System.Globalization;
using NumaSharp.Scheduling;

namespace NumaSharp.Tests.Scheduling.Stress;

/// <summary>
/// The items of one producer. It queues the first one of every few from outside, and that queues the others from inside: on its
/// node, on other ones, as raw items, callbacks or tasks. When all have run, the next round begins.
/// </summary>
internal sealed class StressBatch
{
    public const int Size = 2048;

    private static readonly Action<object?> s_run = static item => ((StressItem)item!).Execute();

    private readonly NumaTaskScheduler _scheduler;
    private readonly TaskFactory[] _factories;
    private readonly StressItem[] _items;
    private readonly ManualResetEventSlim _done = new(false);
    private readonly ConcurrentQueue<string> _wrong = new();
    private readonly int _perFirst;
    private readonly int _blockEvery;
    private int _left;
    private int _round;

    /// <param name="scheduler">Where it queues.</param>
    /// <param name="perFirst">How many items one from outside stands for, itself included; divides <see cref="Size"/>.</param>
    /// <param name="blockEvery">One item of so many blocks for a moment; 0 for none.</param>
    public StressBatch(NumaTaskScheduler scheduler, int perFirst, int blockEvery)
    {
        (_scheduler, _perFirst, _blockEvery) = (scheduler, perFirst, blockEvery);
        var nodes = scheduler.Plan.Nodes.Select(node => scheduler.ForNode(node.NodeId));
        _factories = [new TaskFactory(scheduler), .. nodes.Select(static node => new TaskFactory(node))];
        _items = [.. Enumerable.Range(0, Size).Select(number => new StressItem(this, number))];
    }

    /// <summary>How many items have run.</summary>
    public long Ran { get; private set; }

    /// <summary>Runs every item once, or those that were accepted before the scheduler's end.</summary>
    /// <returns>Whether the scheduler accepted all.</returns>
    public bool RunRound()
    {
        _done.Reset();
        Volatile.Write(ref _left, Size);
        Volatile.Write(ref _round, _round + 1);
        var accepted = QueueFirsts();
        for (var number = accepted; number < Size; number++)
        {
            _items[number].Skip();
        }

        if (accepted == Size || Interlocked.Add(ref _left, accepted - Size) != 0)
        {
            _done.Wait(TestMachine.Patience);
        }

        Check();
        Ran += accepted;
        return accepted == Size;
    }

    public bool IsFirst(int number) => number % _perFirst == 0;

    public bool BlocksAt(int number) => _blockEvery != 0 && (number + _round) % _blockEvery == _blockEvery - 1;

    public void QueueRestOf(int first)
    {
        for (var number = first + 1; number < first + _perFirst; number++)
        {
            Queue(number);
        }
    }

    public void Count(StressItem item, int ran)
    {
        if (ran != Volatile.Read(ref _round))
        {
            _wrong.Enqueue(string.Create(CultureInfo.InvariantCulture, $"item {item.Number} ran {ran} times in {_round} rounds"));
        }

        if (Interlocked.Decrement(ref _left) == 0)
        {
            _done.Set();
        }
    }

    private int QueueFirsts()
    {
        var first = 0;
        try
        {
            for (; first < Size; first += _perFirst)
            {
                Queue(first);
            }
        }
        catch (ObjectDisposedException)
        {
            // This one and the following were refused.
        }

        return first;
    }

    private void Queue(int number)
    {
        var item = _items[number];
        var node = (number + _round) % _scheduler.Plan.Nodes.Count;
        switch (number % 64)
        {
            case 1:
                _ = _factories[(number / 64) % _factories.Length].StartNew(s_run, item);
                break;
            case < 32:
                _scheduler.QueueOnNode(node, s_run, item);
                break;
            case < 48:
                _scheduler.QueueOnNode(node, item);
                break;
            default:
                _scheduler.QueueOnNode(Math.Max(NumaTaskScheduler.CurrentNodeIndex, 0), item);
                break;
        }
    }

    private void Check()
    {
        Assert.Empty(_wrong);
        var wrong = _items.Where(item => item.Ran != _round).Select(static item => item.Number).ToArray();
        Assert.True(
            Volatile.Read(ref _left) == 0 && wrong.Length == 0,
            $"In round {_round}, items {string.Join(',', wrong)} did not run once; {_left} are missing.");
    }
}
