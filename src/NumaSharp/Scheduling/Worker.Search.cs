using System.Diagnostics;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Scheduling;

// Where a worker looks for work: its own queue, its node's, its colleagues', other nodes'.
internal sealed partial class Worker
{
    // After this many items the shared queue comes first, and once in so many of these times the oldest own item: otherwise a
    // chain of items that queue each other would starve all others. A prime, as in Go's scheduler, to stay out of step with
    // loops. The oldest own item is rarer: where items fork it is the root of the largest tree, and each one begun puts more of
    // them under way.
    private const int FairnessInterval = 61;
    private const int OldestInterval = 16;

    private static readonly long s_apartTicks = Stopwatch.Frequency / 100;

    private int _lastCpu = -1;
    private long _apartAt;

    // Leaves the worker searching when there is nothing. Items are returned, in two registers: an out parameter is memory,
    // written with the collector's write barriers.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private WorkItem Find()
    {
        var item = default(WorkItem);
        if (--_own.UntilFair == 0)
        {
            item = TakeFair();
        }

        if (!item.IsThere && !Deque.TryPop(out item))
        {
            item = FindElsewhere();
        }

        if (_own.IsSearching && item.IsThere)
        {
            StopSearching();
        }

        return item;
    }

    private WorkItem TakeFair()
    {
        // Now and then, so that a worker that never runs out of work is reset, too, at no cost for the items in between.
        BorrowedThread.Reset(_thread, _name);
        if (Batch.IsEmpty)
        {
            Batch.Clear();
        }

        _own.UntilFair = FairnessInterval;
        if (--_own.UntilOldest != 0)
        {
            return (_own.UntilOldest % 2 == 0 && TryTakeStuck(out var item)) || TryTakeQueued(out item) ? item : default;
        }

        _own.UntilOldest = OldestInterval;
        return Deque.TrySteal(out var oldest) ? oldest : default;
    }

    // Where all workers of a group run long items or wait, its queue is left to the node's other groups. While they have work of
    // their own, none of their workers searches.
    private bool TryTakeStuck(out WorkItem item)
    {
        var neighbours = Group.Neighbours;
        for (var i = 0; i < neighbours.Length && neighbours[i].IsOfSameNode; i++)
        {
            if (neighbours[i].Group.IsStuck && neighbours[i].Group.TryTakeAny(out item))
            {
                CountSteal(sameCache: false);
                return true;
            }
        }

        item = default;
        return false;
    }

    private WorkItem FindElsewhere() => TryTakeQueued(out var item) || TrySearch(out item) ? item : default;

    // What it puts into its batch is in neither place for a moment: a worker that has seen nothing then may have gone to sleep.
    // So it announces that as a producer does.
    private bool TryTakeQueued(out WorkItem item)
    {
        if (Batch.TryPop(out item) || (Group.HasHeldUp && TryTakeHeldUp(out item)))
        {
            return true;
        }

        if (!Group.Queue.TryDequeue(Batch, out item))
        {
            return false;
        }

        if (!Batch.IsEmpty)
        {
            Group.Scheduler.Announce(Group);
        }

        return true;
    }

    // Otherwise a queue that never gets empty would keep it from what a colleague with a long item has taken together with that
    // one. Not from a deque, which a long item may fill faster than others empty it: then nothing would be left for the queue.
    private bool TryTakeHeldUp(out WorkItem item)
    {
        foreach (var victim in Group.Workers)
        {
            if (victim is { IsHeldUp: true } && victim != this && victim.Batch.TryTake(out item))
            {
                CountSteal(!Group.HasCaches || victim.Cache == Cache);
                return true;
            }
        }

        // A hint, which the monitor renews.
        Group.HasHeldUp = false;
        item = default;
        return false;
    }

    private bool TrySearch(out WorkItem item)
    {
        if (!_own.IsSearching)
        {
            _own.IsSearching = true;
            Group.BeginSearch();
            _spin.BeginIdle(Stopwatch.GetTimestamp());
            FollowCache();
        }

        return TryStealNear(out item) || TryStealFar(sameNode: false, out item) || TrySpin(out item);
    }

    // Workers with the same last-level cache first.
    private bool TryStealNear(out WorkItem item)
    {
        var hasCaches = Group.HasCaches;
        if (TryStealFromColleagues(sameCache: true, hasCaches, out item))
        {
            CountSteal(sameCache: true);
            return true;
        }

        if (hasCaches && TryStealFromColleagues(sameCache: false, hasCaches, out item))
        {
            CountSteal(sameCache: false);
            return true;
        }

        return false;
    }

    private void CountSteal(bool sameCache, long items = 1)
    {
        ref var count = ref sameCache ? ref _own.StolenSameCache : ref _own.StolenSameNode;
        Volatile.Write(ref count, count + items);
    }

    private bool TryStealFromColleagues(bool sameCache, bool hasCaches, out WorkItem item)
    {
        var workers = Group.Workers;
        _own.Random = LinearCongruential.Next(_own.Random);
        var start = (int)((_own.Random >> 8) % (uint)workers.Length);
        for (var i = 0; i < workers.Length; i++)
        {
            var victim = Volatile.Read(in workers[start + i < workers.Length ? start + i : start + i - workers.Length]);
            if (victim is not null && victim != this && (!hasCaches || (victim.Cache == Cache) == sameCache)
                && victim.TrySteal(out item))
            {
                return true;
            }
        }

        item = default;
        return false;
    }

    // The groups of this node come first.
    private bool TryStealFar(bool sameNode, out WorkItem item)
    {
        var neighbours = Group.Neighbours;
        NodeWorkers? declined = null;
        for (var i = 0; i < neighbours.Length && (!sameNode || neighbours[i].IsOfSameNode); i++)
        {
            if (neighbours[i].IsWorthStealingUnless(ref declined)
                && (neighbours[i].IsOfSameNode ? TryStealFromSibling(neighbours[i].Group, out item) : TryStealFrom(i, out item)))
            {
                return true;
            }
        }

        item = default;
        return false;
    }

    // Several at once, like items of the own queue: this worker counts as searching, so it looks after what its batch has then.
    private bool TryStealFromSibling(WorkerGroup victim, out WorkItem item)
    {
        item = default;
        var before = Batch.Added;

        // Reads alone first: where it finds nothing, each worker's deque would cost a fence.
        if (!victim.HasOwnWork || (!victim.Queue.TryDequeue(Batch, out item) && !victim.TryTakeAny(out item)))
        {
            return false;
        }

        CountSteal(sameCache: false, 1 + Batch.Added - before);
        return true;
    }

    private bool TryStealFrom(int neighbour, out WorkItem item)
    {
        var from = Group.Neighbours[neighbour];
        if (!from.Group.TryTakeAny(out item))
        {
            return false;
        }

        if (from.Group.Home.ContextOfItems is { } context)
        {
            // Its awaits must return to its own node, not to this one.
            SynchronizationContext.SetSynchronizationContext(context);
        }

        Volatile.Write(ref _stolenRemote[neighbour], _stolenRemote[neighbour] + 1);
        _unreportedSteal = SchedulerEvents.AreStealsWanted() ? from : null;
        return true;
    }

    // At most one worker of a node at a time. It counts as searching, so that producers wake no other meanwhile.
    private bool TrySpin(out WorkItem item)
    {
        item = default;
        if (!_spin.ShouldSpin || !Group.Home.TryBeginSpin())
        {
            return false;
        }

        var now = Stopwatch.GetTimestamp();
        while (!_spin.IsOver(now) && !Group.Scheduler.IsStopped)
        {
            Thread.SpinWait(4);
            if ((Group.HasOwnWork && (TryTakeQueued(out item) || TryStealNear(out item)))
                || (Group.Home.Groups.Length > 1 && TryStealFar(sameNode: true, out item)))
            {
                _spin.EndIdle(now);
                Group.Home.EndSpin();
                return true;
            }

            now = Stopwatch.GetTimestamp();
        }

        Group.Home.EndSpin();
        return false;
    }

    // The CPU that it runs on now decides which workers are near; its items are in the cache where it last looked for work.
    private void FollowCache()
    {
        if (Group.HasCaches)
        {
            Volatile.Write(ref _cache, Group.CurrentCache());
        }
    }

    private void StopSearching()
    {
        _isExpired = false;
        _own.IsSearching = false;
        Group.EndSearch();
        if (_unreportedSteal is { } from)
        {
            // The source calls listeners of this process synchronously: a producer must not count on this worker meanwhile.
            _unreportedSteal = null;
            SchedulerEvents.Log.Stolen(Group.Node.NodeId.Value, from.Group.Node.NodeId.Value, from.Distance);
        }
    }

    // The kernel wakes a thread where it ran last or where its waker runs, and is slow to separate threads that share a CPU while
    // another is idle: two workers that were once woken on the same CPU keep taking turns there, burst after burst.

    /// <summary>The CPU that it ran on when it last ran out of work; -1 if unknown.</summary>
    public int LastCpu => Volatile.Read(ref _lastCpu);

    // Before it sleeps, at most every 10 ms: moves itself to a CPU on which no lower worker sleeps.
    private void KeepApart()
    {
        var cpus = _placement!.CpusOf(Slot);
        if (cpus is not { Count: > 1 })
        {
            return;
        }

        var cpu = Group.Scheduler.CurrentCpu();
        Volatile.Write(ref _lastCpu, cpu);
        var now = Stopwatch.GetTimestamp();
        if (cpu < 0 || Slot == 0 || Slot >= cpus.Count || now - _apartAt < s_apartTicks || !Group.IsLastCpuOfOthers(cpu, Slot))
        {
            return;
        }

        _apartAt = now;
        var free = cpus.Except(Group.LastCpusBelow(Slot));
        if (!free.IsEmpty)
        {
            _placement.MoveTo(free, Slot);
            Volatile.Write(ref _lastCpu, Group.Scheduler.CurrentCpu());
        }
    }
}
