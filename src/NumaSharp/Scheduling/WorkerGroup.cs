using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>Workers of a node, and the queue that feeds them: all, or those in one of its last-level caches.</summary>
internal sealed partial class WorkerGroup
{
    // Of all groups of a node, as many as handlers may block on an event loop. If all of them block, the node's other work waits.
    public const int MaxSpares = 256;

    private readonly Lock _membership = new();
    private readonly Worker?[] _slots;
    private int _baseCount;
    private int _slotLimit;
    private int _workerCount;
    private int _runningCount;
    private int _retirements;
    private GroupPlacement _placement;
    private long _retiredExecuted;
    private readonly ClaimedFallback _tooFewWorkers;

    private NodeCaches? _caches;

    /// <param name="home">The node.</param>
    /// <param name="index">The position among its groups.</param>
    /// <param name="share">The plan's workers.</param>
    public WorkerGroup(NodeWorkers home, int index, CacheShare share)
    {
        Home = home;
        Index = index;
        Scheduler = home.Scheduler;
        Cache = share.Cpus;
        _placement = new GroupPlacement(home.Placement, share);
        _tooFewWorkers = Scheduler.FallbackOf(FallbackCatalog.SchedulerWorker, Node.NodeId, subject: this);
        _baseCount = _placement.Threads;
        _slots = new Worker?[CapacityFor(Scheduler.Plan.Topology, Node) + MaxSpares];
        _idle = new IdleSet(_slots.Length);
        SetCaches(Scheduler.Plan.Topology);
    }

    public NodeWorkers Home { get; }

    /// <summary>The position among the groups of its node.</summary>
    public int Index { get; }

    /// <summary>The CPUs at start.</summary>
    public CpuSet Cache { get; }

    public NumaTaskScheduler Scheduler { get; }

    public NumaNodePlan Node => Placement.Node;

    /// <summary>The placement of the group's threads: replaced as a whole when it changes.</summary>
    public GroupPlacement Placement => Volatile.Read(ref _placement);

    /// <summary>Items queued from outside the group, and items that must keep their order.</summary>
    public SharedQueue Queue { get; } = new();

    public int WorkerCount => Volatile.Read(ref _workerCount);

    public int SpareCount
    {
        get
        {
            // Not the difference of the two counts: some of the plan's workers may be missing.
            var count = 0;
            var workers = Workers;
            for (var slot = BaseCount; slot < workers.Length; slot++)
            {
                count += workers[slot] is null ? 0 : 1;
            }

            return count;
        }
    }

    /// <summary>The workers that the plan asks for; those in higher slots are spares.</summary>
    public int BaseCount => Volatile.Read(ref _baseCount);

    /// <summary>How many of them there are: fewer while they are being started, or when the system has refused some.</summary>
    public int RunningCount => Volatile.Read(ref _runningCount);

    /// <summary>Whether some of them are missing, however many spares there are.</summary>
    public bool LacksWorkers => RunningCount < BaseCount;

    /// <summary>The workers by slot, with gaps.</summary>
    public ReadOnlySpan<Worker?> Workers => _slots.AsSpan(0, Volatile.Read(ref _slotLimit));

    public long QueueLength
    {
        get
        {
            var length = Queue.Count;
            foreach (var worker in Workers)
            {
                length += worker?.QueuedCount ?? 0;
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
                if (worker is { HasQueued: true })
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Adds the plan's workers, or the first few of them. Called before any work is queued.</summary>
    /// <exception cref="OutOfMemoryException">The system has no thread for one.</exception>
    public void Start(int limit)
    {
        for (var slot = 0; slot < Math.Min(_baseCount, limit); slot++)
        {
            AddWorker(slot);
        }
    }

    /// <summary>Adds one of the plan's workers that the group lacks.</summary>
    /// <returns>False: it lacks none, or the scheduler has stopped.</returns>
    /// <exception cref="OutOfMemoryException">The system has no thread for it.</exception>
    public bool TryAddMissing()
    {
        lock (_membership)
        {
            var slot = Scheduler.IsStopped ? -1 : FindMissing();
            if (slot < 0)
            {
                return false;
            }

            AddWorker(slot);
            return true;
        }
    }

    /// <summary>Reports that the group lacks workers of the plan, if it does and the scheduler has not stopped.</summary>
    public void ReportMissing(string reason)
    {
        lock (_membership)
        {
            if (!Scheduler.IsStopped && FindMissing() >= 0)
            {
                ReportTooFew(reason);
            }
        }
    }

    /// <summary>Adds a worker beyond the plan's, unless there are too many or the scheduler has stopped.</summary>
    public bool TryAddSpare()
    {
        lock (_membership)
        {
            if (Scheduler.IsStopped || Home.SpareCount >= MaxSpares)
            {
                return false;
            }

            var slot = Array.IndexOf(_slots, null, _baseCount);
            if (slot < 0)
            {
                return false;
            }

            AddWorker(slot);
        }

        SchedulerEvents.PostSpareStarted(Node.NodeId.Value, Home.WorkerCount);
        return true;
    }

    /// <summary>Lets one spare retire although it has work.</summary>
    public void GrantRetirement() => Volatile.Write(ref _retirements, 1);

    public bool TryTakeRetirement() =>
        Volatile.Read(ref _retirements) != 0 && Interlocked.Exchange(ref _retirements, 0) != 0;

    /// <summary>Removes a spare that holds no items from the group.</summary>
    public void Remove(Worker spare)
    {
        lock (_membership)
        {
            KeepCountersOf(spare);
            Volatile.Write(ref _slots[spare.Slot], null);
            Volatile.Write(ref _workerCount, _workerCount - 1);
            CountWorker(-1);
            NoteMissing();
            if (spare.Slot < _baseCount)
            {
                // While it was leaving, a plan was applied that uses its slot.
                Refill(spare.Slot);
            }
        }

        SchedulerEvents.PostSpareEnded(Node.NodeId.Value, Home.WorkerCount);
    }

    public long GetExecuted()
    {
        lock (_membership)
        {
            var executed = _retiredExecuted;
            foreach (var worker in Workers)
            {
                executed += worker?.Executed ?? 0;
            }

            return executed;
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

    /// <summary>
    /// Re-pins all workers, sleeping ones at once, the others before their next item, and turns excess ones into spares. The
    /// caller adds those that are missing then.
    /// </summary>
    public void Place(GroupPlacement placement)
    {
        lock (_membership)
        {
            // None where the group has lost its CPUs: its workers are spares then, and leave.
            Volatile.Write(ref _baseCount, Math.Min(placement.Threads, _slots.Length - MaxSpares));
            Volatile.Write(ref _placement, placement);
            SetCaches(Scheduler.Plan.Topology);
            NoteMissing();
        }

        // A worker announces that it sleeps, then checks for a new placement; here the order is reversed.
        Interlocked.MemoryBarrier();
        for (var slot = 0; slot < Workers.Length; slot++)
        {
            if (TryWithdraw(slot))
            {
                Volatile.Read(ref _slots[slot])!.Unpark();
            }
        }
    }

    /// <summary>The queued tasks of a scheduler, for the debugger.</summary>
    public IEnumerable<Task> TasksOf(ITaskRunner runner)
    {
        var items = Queue.Snapshot().Concat(_slots.OfType<Worker>().SelectMany(static worker => worker.Snapshot()));
        return [.. items.Select(item => item.TaskOf(runner)).OfType<Task>()];
    }

    /// <summary>Runs a long task on a thread of its own on this node.</summary>
    /// <exception cref="OutOfMemoryException">
    /// The system has no thread for it. The task's creator gets it as a <see cref="TaskSchedulerException"/>, as on .NET's own
    /// scheduler.
    /// </exception>
    public void RunOnThread(Task task, ITaskRunner runner)
    {
        void Run()
        {
            Home.Placement.PinSpare();
            runner.Run(task);
        }

        SystemThread.Start(new Thread(Run)
        {
            IsBackground = true,
            Name = string.Create(CultureInfo.InvariantCulture, $"{Scheduler.ThreadNamePrefix}{Node.NodeId}-long"),
        });
    }

    /// <summary>Takes any item; for threads that are not workers of this group.</summary>
    public bool TryTakeAny(out WorkItem item)
    {
        if (Queue.TryDequeue(out item))
        {
            return true;
        }

        foreach (var victim in Workers)
        {
            if (victim is not null && victim.TrySteal(out item))
            {
                return true;
            }
        }

        return false;
    }

    // CPUs may be added at run time: room for as many as the node has online, or twice as many as the plan uses.
    private static int CapacityFor(NumaTopology topology, NumaNodePlan node) =>
        Math.Max(2 * node.Threads, topology.FindNode(node.NodeId)?.OnlineCpus.Count ?? 0);

    // In place of a thread that ends: this needs no reserve.
    private void Refill(int slot)
    {
        try
        {
            if (!Scheduler.IsStopped)
            {
                AddWorker(slot);
            }
        }
        catch (OutOfMemoryException e)
        {
            ReportTooFew(e.Message);
        }
    }

    /// <summary>The name of a worker's thread: of the node, of the group where there are several, and of the slot.</summary>
    public string NameOf(int slot) => Home.Groups is { Length: > 1 }
        ? string.Create(CultureInfo.InvariantCulture, $"{Scheduler.ThreadNamePrefix}{Node.NodeId}.{Index}-{slot}")
        : string.Create(CultureInfo.InvariantCulture, $"{Scheduler.ThreadNamePrefix}{Node.NodeId}-{slot}");

    private int FindMissing() => Array.IndexOf(_slots, null, 0, _baseCount);

    // After each change of the slots or of the plan's share of them. Producers and thieves read the count without the lock.
    private void NoteMissing()
    {
        var count = 0;
        foreach (var worker in _slots.AsSpan(0, _baseCount))
        {
            count += worker is null ? 0 : 1;
        }

        Volatile.Write(ref _runningCount, count);
        if (count == _baseCount)
        {
            _tooFewWorkers.End();
        }
    }

    private void ReportTooFew(string reason) => _tooFewWorkers.Report(
        $"Node {Node.NodeId} has {RunningCount} of its {_baseCount} workers "
        + $"{(Home.Groups.Length > 1 ? $"on CPUs {Placement.Cpus} " : "")}({reason}).");

    // A worker is visible before its thread runs: thieves and wakers must find every worker that may announce itself.
    private void AddWorker(int slot)
    {
        var worker = new Worker(this, slot);
        Volatile.Write(ref _slots[slot], worker);
        Volatile.Write(ref _slotLimit, Math.Max(_slotLimit, slot + 1));
        Volatile.Write(ref _workerCount, _workerCount + 1);
        CountWorker(1);
        try
        {
            worker.Start();
        }
        catch
        {
            Volatile.Write(ref _slots[slot], null);
            Volatile.Write(ref _workerCount, _workerCount - 1);
            CountWorker(-1);
            throw;
        }

        NoteMissing();
    }

    // The last-level caches of a node that has several: workers steal first from those with the same cache.

    public bool HasCaches => Volatile.Read(ref _caches) is not null;

    /// <summary>The cache of the CPU that the calling thread runs on; -1 if unknown.</summary>
    public int CurrentCache() => Volatile.Read(ref _caches)?.Of(Scheduler.CurrentCpu()) ?? -1;

    private void SetCaches(NumaTopology topology) => Volatile.Write(ref _caches, NodeCaches.Of(topology, Placement.Cpus));
}
