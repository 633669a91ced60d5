using NumaSharp.Core;
using NumaSharp.Core.Affinity;

namespace NumaSharp.Scheduling;

/// <summary>The workers of one node and the queue that feeds them.</summary>
internal sealed partial class WorkerGroup
{
    public const int MaxSpares = 64;

    /// <summary>The place of the own workers in <see cref="Distances"/>; neighbours follow.</summary>
    public const int FromColleagues = 0;

    private readonly Lock _membership = new();
    private readonly Worker?[] _slots;
    private readonly int _baseCount;
    private int _slotLimit;
    private int _workerCount;
    private int _retirements;
    private NodePlacement _placement;
    private long _retiredExecuted;
    private long[] _retiredStolen = [];

    public WorkerGroup(NumaTaskScheduler scheduler, NumaNodePlan node)
    {
        Scheduler = scheduler;
        NodeIndex = node.NodeIndex;
        _placement = scheduler.PlacementOf(node);
        NodeTag = new("numasharp.node.id", node.NodeId);
        _baseCount = node.Threads;
        _slots = new Worker?[_baseCount + MaxSpares];
        _idle = new IdleSet(_slots.Length);
    }

    public NumaTaskScheduler Scheduler { get; }

    public NumaNodePlan Node => Placement.Node;

    public int NodeIndex { get; }

    /// <summary>Where the group's threads are to run: replaced as a whole when that changes.</summary>
    public NodePlacement Placement => Volatile.Read(ref _placement);

    /// <summary>What was queued from outside the group, and what must keep its order.</summary>
    public SharedQueue Queue { get; } = new();

    /// <summary>The other groups, nearest first; empty where work may not leave its node.</summary>
    public WorkerGroup[] Neighbours { get; private set; } = [];

    /// <summary>How far what is stolen comes: from colleagues, then from each of the neighbours.</summary>
    public int[] Distances { get; private set; } = [];

    /// <summary>The attribute of measurements that are about this node.</summary>
    public KeyValuePair<string, object?> NodeTag { get; }

    public int WorkerCount => Volatile.Read(ref _workerCount);

    public int SpareCount => WorkerCount - _baseCount;

    public int BaseCount => _baseCount;

    /// <summary>The workers by slot, with gaps.</summary>
    public ReadOnlySpan<Worker?> Workers => _slots.AsSpan(0, Volatile.Read(ref _slotLimit));

    public long QueueLength
    {
        get
        {
            var length = Queue.Count;
            foreach (var worker in Workers)
            {
                length += worker?.Deque.Count ?? 0;
            }

            return length;
        }
    }

    public bool HasOwnWork
    {
        get
        {
            if (!Queue.IsEmpty)
            {
                return true;
            }

            foreach (var worker in Workers)
            {
                if (worker is { Deque.IsEmpty: false })
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Tells whom work may be taken from; before the start.</summary>
    public void MeetNeighbours(NumaTopology topology, WorkerGroup[] neighbours)
    {
        var id = Node.NodeId;
        Neighbours = neighbours;
        Distances = [topology.Distance(id, id), .. neighbours.Select(each => topology.Distance(id, each.Node.NodeId))];
        _retiredStolen = new long[Distances.Length];
    }

    public void Start()
    {
        for (var slot = 0; slot < _baseCount; slot++)
        {
            AddWorker(slot, isSpare: false);
        }
    }

    /// <summary>Adds a worker beyond the plan's, unless there are too many or the scheduler has stopped.</summary>
    public bool TryAddSpare()
    {
        lock (_membership)
        {
            if (Scheduler.IsStopped)
            {
                return false;
            }

            var slot = Array.IndexOf(_slots, null, _baseCount);
            if (slot < 0)
            {
                return false;
            }

            AddWorker(slot, isSpare: true);
        }

        SchedulerEvents.Log.SpareStarted(Node.NodeId, WorkerCount);
        return true;
    }

    /// <summary>Lets one spare go although it has work.</summary>
    public void GrantRetirement() => Volatile.Write(ref _retirements, 1);

    public bool TryTakeRetirement() =>
        Volatile.Read(ref _retirements) != 0 && Interlocked.Exchange(ref _retirements, 0) != 0;

    /// <summary>Takes a spare whose deque is empty out of the group.</summary>
    public void Remove(Worker spare)
    {
        lock (_membership)
        {
            _retiredExecuted += spare.Executed;
            AddTo(_retiredStolen, spare.Stolen);
            Volatile.Write(ref _slots[spare.Slot], null);
            Volatile.Write(ref _workerCount, _workerCount - 1);
        }

        SchedulerEvents.Log.SpareEnded(Node.NodeId, WorkerCount);
        Scheduler.WorkerRemoved();
    }

    /// <summary>What the workers have run, and have stolen over each of <see cref="Distances"/>.</summary>
    public (long Executed, long[] Stolen) GetCounters()
    {
        lock (_membership)
        {
            var executed = _retiredExecuted;
            long[] stolen = [.. _retiredStolen];
            foreach (var worker in Workers)
            {
                if (worker is not null)
                {
                    executed += worker.Executed;
                    AddTo(stolen, worker.Stolen);
                }
            }

            return (executed, stolen);
        }
    }

    /// <summary>Wakes all workers, so that they see that the scheduler has stopped.</summary>
    /// <returns>The threads to wait for.</returns>
    public Worker[] UnparkAll()
    {
        lock (_membership)
        {
            Worker[] workers = [.. _slots.OfType<Worker>()];
            foreach (var worker in workers)
            {
                worker.Unpark();
            }

            return workers;
        }
    }

    /// <summary>Has every worker pin itself anew: those that sleep at once, the others before their next item.</summary>
    public void Place(NodePlacement placement)
    {
        Volatile.Write(ref _placement, placement);

        // A worker announces that it sleeps, and then looks for a new placement; here it is the other way round.
        Interlocked.MemoryBarrier();
        for (var slot = 0; slot < Workers.Length; slot++)
        {
            if (TryWithdraw(slot))
            {
                Volatile.Read(ref _slots[slot])!.Unpark();
            }
        }
    }

    private static void AddTo(long[] sums, ReadOnlySpan<long> counts)
    {
        for (var i = 0; i < sums.Length; i++)
        {
            sums[i] += Volatile.Read(in counts[i]);
        }
    }

    // A worker is visible before its thread runs: a thief and a waker must find everyone who may announce himself.
    private void AddWorker(int slot, bool isSpare)
    {
        var worker = new Worker(this, slot, isSpare);
        Volatile.Write(ref _slots[slot], worker);
        Volatile.Write(ref _slotLimit, Math.Max(_slotLimit, slot + 1));
        Volatile.Write(ref _workerCount, _workerCount + 1);
        Scheduler.WorkerAdded();
        try
        {
            worker.Start();
        }
        catch
        {
            Volatile.Write(ref _slots[slot], null);
            Volatile.Write(ref _workerCount, _workerCount - 1);
            Scheduler.WorkerRemoved();
            throw;
        }
    }
}
