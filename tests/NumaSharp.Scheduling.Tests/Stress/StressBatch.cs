using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests.Stress;

/// <summary>
/// The items of one producer. It queues the first one of every few from outside, and that queues the others from inside: on its
/// node, on other ones, as raw items, callbacks or tasks. When all have run, the next round begins.
/// </summary>
internal sealed partial class StressBatch
{
    public const int Size = 2048;

    private static readonly Action<object?> s_run = static item => ((StressItem)item!).Execute();

    private readonly NumaTaskScheduler _scheduler;
    private readonly StressFindings _findings;
    private readonly int _producer;
    private readonly TaskFactory[] _factories;
    private readonly int[] _groupOfNode;
    private readonly StressItem[] _items;
    private readonly ManualResetEventSlim _done = new(false);
    private readonly int _perFirst;
    private readonly int _blockEvery;
    private int _accepted;
    private int _left;
    private int _round;

    /// <param name="scheduler">Where it queues.</param>
    /// <param name="findings">Receives what went wrong.</param>
    /// <param name="producer">Which of the producers this is.</param>
    /// <param name="perFirst">How many items one from outside stands for, itself included; divides <see cref="Size"/>.</param>
    /// <param name="blockEvery">One item of so many blocks for a moment; 0 for none.</param>
    public StressBatch(NumaTaskScheduler scheduler, StressFindings findings, int producer, int perFirst, int blockEvery)
    {
        (_scheduler, _findings, _producer) = (scheduler, findings, producer);
        (_perFirst, _blockEvery) = (perFirst, blockEvery);
        var nodes = scheduler.Plan.Nodes;
        _factories =
            [.. nodes.Select(node => new TaskFactory(scheduler.ForNode(node.NodeId))), new TaskFactory(scheduler)];
        _groupOfNode = [.. nodes.Select(static node => node.ServingIndex)];
        _items = [.. Enumerable.Range(0, Size).Select(number => new StressItem(this, number))];
    }

    /// <summary>How many items have run.</summary>
    public long Ran { get; private set; }

    /// <summary>Runs every item once, or those that were accepted before the scheduler's end.</summary>
    /// <returns>Whether the scheduler accepted all, and all was as it should be.</returns>
    public bool RunRound()
    {
        _done.Reset();
        Volatile.Write(ref _left, Size);
        Volatile.Write(ref _round, _round + 1);
        _accepted = QueueFirsts();
        for (var number = _accepted; number < Size; number++)
        {
            _items[number].Skip();
        }

        if (_accepted == Size || Interlocked.Add(ref _left, _accepted - Size) != 0)
        {
            WaitForAll();
        }

        FindMissing();
        Ran += _accepted;
        return _accepted == Size && !_findings.Any;
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
        var node = (number + _round) % _groupOfNode.Length;
        switch (number % 64)
        {
            case 1:
                var factory = (number / 64) % _factories.Length;
                item.Group = factory < _groupOfNode.Length ? _groupOfNode[factory] : StressItem.AnyGroup;
                _ = _factories[factory].StartNew(s_run, item);
                break;
            case < 32:
                item.Group = _groupOfNode[node];
                _scheduler.QueueOnNode(node, s_run, item);
                break;
            case < 48:
                item.Group = _groupOfNode[node];
                _scheduler.QueueOnNode(node, item);
                break;
            default:
                item.Group = Math.Max(NumaTaskScheduler.CurrentNodeIndex, 0);
                _scheduler.QueueOnNode(item.Group, item);
                break;
        }
    }
}
