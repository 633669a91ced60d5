using System.Collections.Immutable;

namespace NumaSharp.Scheduling;

// What other nodes may take from this one, and what this one has taken from others.
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

    /// <summary>Whether at least so many items wait here.</summary>
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

    /// <summary>Whether taking from another group pays for this one.</summary>
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

    /// <summary>Called by the monitor when work waits for its second look, and when none does.</summary>
    public void SetOverdue(bool isOverdue)
    {
        if (isOverdue == _isOverdue)
        {
            return;
        }

        Volatile.Write(ref _isOverdue, isOverdue);
        if (isOverdue)
        {
            // What is worth stealing now was not for those who went to sleep.
            Interlocked.MemoryBarrier();
            NotifySaturated();
        }
    }

    public StealCounts GetSteals()
    {
        lock (_membership)
        {
            var (sameCache, sameNode) = (_retiredSameCache, _retiredSameNode);
            var remote = _retiredRemote.ToArray();
            foreach (var worker in Workers)
            {
                if (worker is not null)
                {
                    sameCache += worker.StolenSameCache;
                    sameNode += worker.StolenSameNode;
                    worker.AddStolenRemote(remote);
                }
            }

            return new StealCounts(
                sameCache,
                sameNode,
                [.. Neighbours.Select((one, i) => new RemoteSteals(one.Group.NodeIndex, one.Distance, remote[i]))]);
        }
    }

    private void KeepCountersOf(Worker worker)
    {
        _retiredExecuted += worker.Executed;
        _retiredSameCache += worker.StolenSameCache;
        _retiredSameNode += worker.StolenSameNode;
        worker.AddStolenRemote(_retiredRemote);
    }
}
