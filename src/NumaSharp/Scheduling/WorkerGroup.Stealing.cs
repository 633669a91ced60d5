using System.Collections.Immutable;
using NumaSharp.Core;

namespace NumaSharp.Scheduling;

// What other nodes may steal from this one, and what this one has stolen from others.
internal sealed partial class WorkerGroup
{
    private bool _isOverdue;
    private long _retiredSameCache;
    private long _retiredSameNode;
    private long[] _retiredRemote = [];

    /// <summary>
    /// The other groups, nearest first: those of the node, then, unless work may not leave its node, those of others.
    /// </summary>
    public Neighbour[] Neighbours
    {
        get;
        set
        {
            field = value;
            _retiredRemote = new long[value.Length];
        }
    } = [];

    /// <summary>Whether work has waited here for so long that it may go to any node.</summary>
    public bool IsOverdue => Volatile.Read(ref _isOverdue);

    /// <summary>
    /// Whether there may be a worker that is <see cref="Worker.IsHeldUp"/> and has items in its batch. Set by the monitor.
    /// </summary>
    public bool HasHeldUp
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether work waits here, and no worker has run an item for three checks of the monitor, which sets it.</summary>
    public bool IsStuck
    {
        get => Volatile.Read(ref field);
        set
        {
            // All workers read what is beside it, and the monitor sets it at each check.
            if (value != Volatile.Read(ref field))
            {
                Volatile.Write(ref field, value);
            }
        }
    }

    /// <summary>
    /// Whether work waits here and no worker is idle: after a while it is overdue. Also while one is woken or searching, because
    /// that one may get no CPU.
    /// </summary>
    public bool MayBecomeOverdue => IdleCount == 0 && HasOwnWork;

    /// <summary>Whether at least this many items wait here.</summary>
    /// <param name="minimum">How many.</param>
    /// <param name="length">How many there are, up to that number.</param>
    public bool HasBacklog(long minimum, out long length)
    {
        length = Queue.Count;
        foreach (var worker in Workers)
        {
            if (length >= minimum)
            {
                return true;
            }

            length += worker?.QueuedCount ?? 0;
        }

        return length >= minimum;
    }

    /// <summary>
    /// Called by a worker of this group before it sleeps. It has left other nodes' work to their woken and searching workers; the
    /// monitor must notice when these get no CPU.
    /// </summary>
    public void WatchNeighbours()
    {
        // An awake monitor checks once more before it sleeps, and so sees what was left before this read.
        if (Scheduler.Monitor is not { IsAsleep: true } monitor)
        {
            return;
        }

        foreach (var neighbour in Neighbours)
        {
            if (neighbour.Group.MayBecomeOverdue)
            {
                monitor.Wake();
                return;
            }
        }
    }

    /// <summary>Called by the monitor at every check, whether it finds work waiting or not.</summary>
    /// <param name="isOverdue">Whether work waits at the second check in a row, or a later one.</param>
    public void SetOverdue(bool isOverdue)
    {
        if (isOverdue != _isOverdue)
        {
            Volatile.Write(ref _isOverdue, isOverdue);
            Interlocked.MemoryBarrier();
        }

        if (isOverdue)
        {
            // Work that is worth stealing now was not when other workers went to sleep. At every check: a producer wakes no other
            // node while a worker here is woken or searching, and that one may still have no CPU.
            NotifySaturated();
        }
    }

    public StealCounts GetSteals()
    {
        lock (_membership)
        {
            var (sameCache, sameNode) = GetStolenHere();
            return new StealCounts(
                sameCache,
                sameNode,
                [
                    .. Neighbours.Index().Where(static one => !one.Item.IsOfSameNode)
                        .Select(one => new RemoteSteals(one.Item.Group.Home.NodeIndex, GetStolenFrom(one.Index))),
                ]);
        }
    }

    /// <summary>The distances of the workers that work may be stolen from: on the node, and on the neighbours.</summary>
    public IEnumerable<int> StealDistances =>
        Neighbours.Select(static one => one.Distance).Prepend(Neighbour.LocalDistance).Distinct();

    /// <summary>How many items came from that distance. Allocates nothing.</summary>
    public long GetStolenAtDistance(int distance)
    {
        lock (_membership)
        {
            long sum = 0;
            if (distance == Neighbour.LocalDistance)
            {
                var (sameCache, sameNode) = GetStolenHere();
                sum = sameCache + sameNode;
            }

            for (var i = 0; i < Neighbours.Length; i++)
            {
                sum += Neighbours[i].Distance == distance ? GetStolenFrom(i) : 0;
            }

            return sum;
        }
    }

    private (long SameCache, long SameNode) GetStolenHere()
    {
        var (sameCache, sameNode) = (_retiredSameCache, _retiredSameNode);
        foreach (var worker in Workers)
        {
            sameCache += worker?.StolenSameCache ?? 0;
            sameNode += worker?.StolenSameNode ?? 0;
        }

        return (sameCache, sameNode);
    }

    private long GetStolenFrom(int neighbour)
    {
        var sum = _retiredRemote[neighbour];
        foreach (var worker in Workers)
        {
            sum += worker?.StolenFrom(neighbour) ?? 0;
        }

        return sum;
    }

    private void KeepCountersOf(Worker worker)
    {
        _retiredExecuted += worker.Executed;
        _retiredSameCache += worker.StolenSameCache;
        _retiredSameNode += worker.StolenSameNode;
        worker.AddStolenRemote(_retiredRemote);
    }

    // Where the group's workers last ran.

    public bool IsLastCpuOfOthers(int cpu, int below)
    {
        foreach (var worker in Workers[..Math.Min(below, Workers.Length)])
        {
            if (worker?.LastCpu == cpu)
            {
                return true;
            }
        }

        return false;
    }

    public CpuSet LastCpusBelow(int slot) => CpuSet.FromIds(
        Workers[..Math.Min(slot, Workers.Length)].ToArray()
            .Select(static worker => worker?.LastCpu ?? -1).Where(static cpu => cpu >= 0));
}

/// <summary>How many items the workers of a group have stolen, by distance.</summary>
/// <param name="SameCache">From workers that share their last-level cache; all of the node's if caches are unknown.</param>
/// <param name="SameNode">From other workers of the node.</param>
/// <param name="Remote">From other nodes, in the order of the group's neighbours.</param>
internal readonly record struct StealCounts(long SameCache, long SameNode, ImmutableArray<RemoteSteals> Remote);

/// <summary>Items taken from one other node.</summary>
/// <param name="NodeIndex">The other node's position in the plan.</param>
/// <param name="Count">How many.</param>
internal readonly record struct RemoteSteals(int NodeIndex, long Count);

/// <summary>Another group, as seen by a group that may steal from it.</summary>
/// <param name="group">The other one.</param>
/// <param name="distance">How far its node is.</param>
/// <param name="isOfSameNode">Whether it has another cache of the same node.</param>
internal sealed class Neighbour(WorkerGroup group, int distance, bool isOfSameNode = false)
{
    /// <summary>The distance of a node to itself (ACPI, SLIT).</summary>
    public const int LocalDistance = 10;

    // Remote memory slows down only a part of an item's run time.
    private const int CostShare = 2;

    public WorkerGroup Group => group;

    public int Distance => distance;

    public bool IsOfSameNode => isOfSameNode;

    /// <summary>The position of the first neighbour behind it that is of another node, or their number.</summary>
    public int NextNode { get; set; }

    /// <summary>The group that may steal, as seen by the one that it would steal from.</summary>
    public Neighbour Reverse { get; set; } = null!;

    /// <summary>
    /// Whether stealing from it pays: no worker there is idle, woken or searching, and its items would wait longer for one of
    /// them than running remotely costs. Overdue work is left to an idle worker only: a woken or searching one may get no CPU.
    /// Of another node all groups count, which are nearer to each other; of the same node any item is worth it.
    /// </summary>
    public bool IsWorthStealing =>
        group.IsOverdue ? group.IdleCount == 0
        : group.IsSaturated && (isOfSameNode || (group.Home.IsSaturated && group.Home.HasBacklog(MinimumBacklog)));

    /// <summary>The same in a look at one neighbour after the other: what is so of a whole node is found out once.</summary>
    /// <param name="declined">The node whose work was found not to be worth it, until it is overdue.</param>
    public bool IsWorthStealingUnless(ref NodeWorkers? declined)
    {
        if (isOfSameNode || group.IsOverdue)
        {
            return IsWorthStealing;
        }

        if (declined == group.Home)
        {
            return false;
        }

        var isWorthIt = IsWorthStealing;
        declined = isWorthIt ? declined : group.Home;
        return isWorthIt;
    }

    // Of the plan's workers only those that run: the others take no items.
    private long MinimumBacklog => group.Home.RunningCount * (distance - LocalDistance) / (LocalDistance * CostShare);
}
