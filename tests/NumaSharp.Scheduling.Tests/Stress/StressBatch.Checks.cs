using System.Globalization;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests.Stress;

// Whether each item runs once in each round, and where it should; the item's name shows what went wrong.
internal sealed partial class StressBatch
{
    // A round takes milliseconds, a hundred times as many on a machine that is very busy: nothing is late by so many looks.
    private const int LooksAtStandstill = 120;

    private static readonly TimeSpan s_look = Wait.Limit / LooksAtStandstill;

    /// <summary>Called by an item that begins.</summary>
    /// <param name="item">The item.</param>
    /// <param name="ran">How often it has begun, in all rounds.</param>
    /// <returns>Whether it is the first time in this round.</returns>
    public bool Enter(StressItem item, int ran)
    {
        var round = Volatile.Read(ref _round);
        if (ran != round)
        {
            Find("run more than once", item, $"has run {1 + ran - round} times");
            return false;
        }

        var group = NumaTaskScheduler.CurrentNodeIndex;
        if (group == StressItem.AnyGroup ? !_scheduler.IsStopped : !MayRun(item, group))
        {
            var where = group == StressItem.AnyGroup ? "on none" : $"on node {group}";
            Find("run elsewhere", item, $"has run {where} instead of {item.Group}");
        }

        return true;
    }

    /// <summary>Called by an item that ends.</summary>
    public void Leave()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _done.Set();
        }
    }

    private void FindMissing()
    {
        foreach (var item in _items)
        {
            if (item.Ran < _round && WasQueued(item))
            {
                Find("not run", item, $"has not run; there wait {Queued()}");
            }
        }
    }

    private bool MayRun(StressItem item, int group) =>
        group == item.Group || item.Group == StressItem.AnyGroup || _scheduler.Policy != NumaSchedulingPolicy.NodeStrict;

    // What a first item would have queued is not lost but was never there.
    private bool WasQueued(StressItem item)
    {
        var first = item.Number - (item.Number % _perFirst);
        return item.Number == first || _items[first].Ran >= _round;
    }

    // Until all have run, or none of them for so long that none will.
    private void WaitForAll()
    {
        var (seen, looks) = (Size, 0);
        while (!_done.Wait(s_look) && looks < LooksAtStandstill)
        {
            var left = Volatile.Read(ref _left);
            (seen, looks) = (left, left == seen ? looks + 1 : 0);
        }
    }

    // Still in the queues of the nodes: these items were not lost, but no worker was woken for them.
    private string Queued() => string.Join(
        ", ",
        _scheduler.Groups.Select(static group =>
            $"{group.QueueLength} on node {group.Home.NodeIndex} ({group.IdleCount} idle workers)"));

    private void Find(string kind, StressItem item, string what) => _findings.Add(kind, string.Create(
        CultureInfo.InvariantCulture,
        $"producer {_producer}, item {item.Number}, {KindOf(item)}, round {_round}: {what}"));

    private string KindOf(StressItem item)
    {
        var from = IsFirst(item.Number) ? "from outside" : "from inside";
        var kind = (item.Number % 64) switch
        {
            1 => "task",
            < 32 => "callback",
            _ => "raw item",
        };
        return $"{kind} {from}";
    }
}
