using System.Collections.Immutable;

namespace NumaSharp.Scheduling;

// What other nodes may steal from this one, and what this one has stolen from others.
internal sealed partial class WorkerGroup
{
    private bool _isOverdue;
    private long _retiredSameCache;
    private long _retiredSameNode;
    private long[] _retiredRemote = [];

    /// <summary>The other groups, nearest first; empty where work may not leave its node.</summary>
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
    /// Whether work waits here and no worker is idle: after a while it is overdue. Also while one is woken or searching, because
    /// that one may get no CPU.
    /// </summary>
    public bool MayBecomeOverdue => IdleCount == 0 && HasOwnWork;

    /// <summary>Whether at least this many items wait here.</summary>
    public bool HasBacklog(long minimum)
    {
        var length = Queue.Count;
        foreach (var worker in Workers)
        {
            if (length >= minimum)
            {
                return true;
            }

            length += worker?.Deque.Count ?? 0;
        }

        return length >= minimum;
    }

    /// <summary>Whether stealing from another group pays for this one.</summary>
    public bool MayStealFrom(WorkerGroup other)
    {
        foreach (var neighbour in Neighbours)
        {
            if (neighbour.Group == other)
            {
                return neighbour.IsWorthStealing;
            }
        }

        return false;
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
                sameCache, sameNode, [.. Neighbours.Select((one, i) => new RemoteSteals(one.Group.NodeIndex, GetStolenFrom(i)))]);
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
}
