using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>The workers of one node and the queue that feeds them.</summary>
internal sealed partial class WorkerGroup
{
    // As many as handlers may block on an event loop. If all of them block, the node's other work waits.
    public const int MaxSpares = 256;

    private readonly Lock _membership = new();
    private readonly Worker?[] _slots;
    private int _baseCount;
    private int _slotLimit;
    private int _workerCount;
    private int _runningCount;
    private int _retirements;
    private NodePlacement _placement;
    private long _retiredExecuted;
    private readonly ClaimedFallback _tooFewWorkers;

    private PaddedCounter _escapes;

    private NodeCaches? _caches;

    public WorkerGroup(NumaTaskScheduler scheduler, NumaNodePlan node)
    {
        Scheduler = scheduler;
        NodeIndex = node.NodeIndex;
        _placement = scheduler.PlacementOf(node);
        _tooFewWorkers = scheduler.FallbackOf(FallbackCatalog.SchedulerWorker, node.NodeId);
        NodeTag = new("numasharp.node.id", node.NodeId.Value);
        _baseCount = node.Threads;
        _slots = new Worker?[CapacityFor(scheduler.Plan.Topology, node) + MaxSpares];
        _idle = new IdleSet(_slots.Length);
        SetCaches(scheduler.Plan.Topology);
    }

    public NumaTaskScheduler Scheduler { get; }

    public NumaNodePlan Node => Placement.Node;

    public int NodeIndex { get; }

    /// <summary>The placement of the group's threads: replaced as a whole when it changes.</summary>
    public NodePlacement Placement => Volatile.Read(ref _placement);

    /// <summary>Items queued from outside the group, and items that must keep their order.</summary>
    public SharedQueue Queue { get; } = new();

    /// <summary>The attribute of measurements of this node.</summary>
    public KeyValuePair<string, object?> NodeTag { get; }

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
            if (Scheduler.IsStopped || SpareCount >= MaxSpares)
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

        SchedulerEvents.PostSpareStarted(Node.NodeId.Value, WorkerCount);
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
            Scheduler.WorkerRemoved();
            NoteMissing();
            if (spare.Slot < _baseCount)
            {
                // While it was leaving, a plan was applied that uses its slot.
                Refill(spare.Slot);
            }
        }

        SchedulerEvents.PostSpareEnded(Node.NodeId.Value, WorkerCount);
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
    public void Place(NodePlacement placement)
    {
        lock (_membership)
        {
            Volatile.Write(ref _baseCount, Math.Clamp(placement.Node.Threads, 1, _slots.Length - MaxSpares));
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
            Placement.PinWorker(int.MaxValue);
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
        $"Node {Node.NodeId} has {RunningCount} of its {_baseCount} workers ({reason}).");

    // A worker is visible before its thread runs: thieves and wakers must find every worker that may announce itself.
    private void AddWorker(int slot)
    {
        var worker = new Worker(this, slot);
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

        NoteMissing();
    }

    // The node behind other APIs; created on first use.

    public NodeSynchronizationContext Context =>
        field ?? Interlocked.CompareExchange(ref field, new NodeSynchronizationContext(this), null) ?? field;

    /// <summary>
    /// The current synchronization context in this node's work, on any worker; none if the scheduler uses none.
    /// </summary>
    public NodeSynchronizationContext? ContextOfItems => Scheduler.UsesSynchronizationContext ? Context : null;

    public NodePipeScheduler PipeScheduler =>
        field ?? Interlocked.CompareExchange(ref field, new NodePipeScheduler(this), null) ?? field;

    // Counts asynchronous work that began on this node and ended on a thread that is none of the scheduler's workers. Where a
    // method ran in between is unknown: the runtime does not report an await that leaves.

    public long Escapes => Volatile.Read(ref _escapes.Value);

    /// <summary>Checks where a task that work on this node has returned ends.</summary>
    public T Watch<T>(T task)
        where T : Task
    {
        // A task that runs its continuations elsewhere does not show where it ended. Null is left to the runtime to reject.
        if (task is { IsCompleted: false } && (task.CreationOptions & TaskCreationOptions.RunContinuationsAsynchronously) == 0)
        {
            // On the pool's scheduler, which runs it in place on any thread; a node's would queue it.
            _ = task.ContinueWith(
                static (_, state) => ((WorkerGroup)state!).NoteEnd(),
                this,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously | TaskContinuationOptions.DenyChildAttach,
                TaskScheduler.Default);
        }

        return task;
    }

    /// <summary>Called by the thread on which asynchronous work of this node has ended.</summary>
    public void NoteEnd()
    {
        // After the end nothing can be on a node any more, and the rest runs on the pool as it should.
        if (Worker.Current?.Group.Scheduler != Scheduler && !Scheduler.IsStopped)
        {
            Interlocked.Increment(ref _escapes.Value);
        }
    }

    // The last-level caches of a node that has several: workers steal first from those with the same cache.

    public bool HasCaches => Volatile.Read(ref _caches) is not null;

    /// <summary>The cache of the CPU that the calling thread runs on; -1 if unknown.</summary>
    public int CurrentCache() => Volatile.Read(ref _caches)?.Of(Scheduler.CurrentCpu()) ?? -1;

    private void SetCaches(NumaTopology topology) => Volatile.Write(ref _caches, NodeCaches.Of(topology, Node.Cpus));

    // Written by threads of the pool: must not share a line that the workers read all the time.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct PaddedCounter
    {
        [FieldOffset(128)]
        public long Value;
    }
}
