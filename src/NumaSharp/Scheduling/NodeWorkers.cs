using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Scheduling;

/// <summary>
/// A node's workers as others see them: one group or, where the plan keeps them in several last-level caches, a group per cache.
/// Thread-safe.
/// </summary>
internal sealed class NodeWorkers
{
    [ThreadStatic]
    private static uint t_turn;

    private readonly WorkerGroup? _only;
    private NodePlacement _placement;
    private Division _division;
    private Shared _shared;

    public NodeWorkers(NumaTaskScheduler scheduler, NumaNodePlan node)
    {
        Scheduler = scheduler;
        NodeIndex = node.NodeIndex;
        NodeTag = new("numasharp.node.id", node.NodeId.Value);
        _placement = scheduler.PlacementOf(node);
        Groups =
        [
            .. CacheShare.Divide(scheduler.Plan.Topology, node).Select((share, index) => new WorkerGroup(this, index, share)),
        ];
        _only = Groups is [var only] ? only : null;
        _division = Divide();
    }

    public NumaTaskScheduler Scheduler { get; }

    public int NodeIndex { get; }

    /// <summary>At least one; always the same.</summary>
    public WorkerGroup[] Groups { get; }

    /// <summary>The attribute of measurements of this node.</summary>
    public KeyValuePair<string, object?> NodeTag { get; }

    /// <summary>The placement of the node's threads: replaced as a whole when it changes.</summary>
    public NodePlacement Placement => Volatile.Read(ref _placement);

    /// <summary>Whether the calling thread is one of the workers.</summary>
    public bool IsCaller => Worker.Current?.Group.Home == this;

    /// <summary>
    /// The group for work of the calling thread: its own, or that of the cache of its CPU. If it runs on another node, any.
    /// </summary>
    public WorkerGroup GroupForCaller
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _only ?? OneOfSeveral();
    }

    private WorkerGroup OneOfSeveral() =>
        Worker.Current is not { } worker || worker.Group.Scheduler != Scheduler ? GroupNear(Scheduler.CurrentCpu())
        : worker.Group.Home == this ? worker.Group
        : Volatile.Read(ref _division).GroupInTurn();

    /// <summary>The group of a CPU's cache; any for a CPU of another node.</summary>
    public WorkerGroup GroupNear(int cpu)
    {
        if (_only is not null)
        {
            return _only;
        }

        var division = Volatile.Read(ref _division);
        return (uint)cpu < (uint)division.OfCpu.Length && division.OfCpu[cpu] is { } group ? group : division.GroupInTurn();
    }

    private Division Divide()
    {
        WorkerGroup[] used = [.. Groups.Where(static group => group.Placement.Threads > 0)];
        var ofCpu = new WorkerGroup?[used.Max(static group => group.Placement.Cpus.Last) + 1];
        foreach (var group in used)
        {
            foreach (var cpu in group.Placement.Cpus)
            {
                // Two caches at the start may be one now, which the first of the groups has.
                ofCpu[cpu] ??= group;
            }
        }

        return new(ofCpu, used);
    }

    /// <summary>Which groups get work from outside. Replaced as a whole; immutable.</summary>
    /// <param name="OfCpu">By CPU.</param>
    /// <param name="Used">Those with workers in the plan: one may have lost its CPUs.</param>
    private sealed record Division(WorkerGroup?[] OfCpu, WorkerGroup[] Used)
    {
        // Of each thread a sequence of its own: threads that queue for several nodes in turn must not fall into step with them.
        public WorkerGroup GroupInTurn()
        {
            t_turn = LinearCongruential.Next(t_turn == 0 ? (uint)Environment.CurrentManagedThreadId : t_turn);
            return Used[(int)((t_turn >> 8) % (uint)Used.Length)];
        }
    }

    // Whether producers need to look for idle workers here.

    /// <summary>
    /// Whether one of the groups may have an idle worker. One that announces itself counts before it looks for work, but perhaps
    /// not until then.
    /// </summary>
    public bool HasIdle =>
        _only is not null ? _only.IdleCount != 0 : Volatile.Read(ref _shared.GroupsWithIdle) != 0;

    /// <summary>Called when a group has got its first idle worker, or has lost its last one. A full fence.</summary>
    public void CountGroupWithIdle(int change)
    {
        if (_only is null)
        {
            Interlocked.Add(ref _shared.GroupsWithIdle, change);
        }
    }

    // One worker of the node spins at a time.

    public bool TryBeginSpin() =>
        Volatile.Read(ref _shared.IsSpinning) == 0 && Interlocked.Exchange(ref _shared.IsSpinning, 1) == 0;

    public void EndSpin() => Volatile.Write(ref _shared.IsSpinning, 0);

    // What other nodes look at before they take work from here.

    /// <summary>Whether no worker of the node is idle, woken or searching.</summary>
    public bool IsSaturated
    {
        get
        {
            foreach (var group in Groups)
            {
                if (!group.IsSaturated)
                {
                    return false;
                }
            }

            return true;
        }
    }

    /// <summary>How many workers of the plan there are.</summary>
    public long RunningCount
    {
        get
        {
            long count = 0;
            foreach (var group in Groups)
            {
                count += group.RunningCount;
            }

            return count;
        }
    }

    /// <summary>How many workers there are, spares included.</summary>
    public int WorkerCount => (int)Sum(static group => group.WorkerCount);

    public int SpareCount => (int)Sum(static group => group.SpareCount);

    /// <summary>Whether at least this many items wait on the node.</summary>
    public bool HasBacklog(long minimum)
    {
        foreach (var group in Groups)
        {
            if (group.HasBacklog(minimum, out var length))
            {
                return true;
            }

            minimum -= length;
        }

        return false;
    }

    /// <summary>Re-pins all workers and divides them over the groups again.</summary>
    public void Place(NodePlacement placement)
    {
        Volatile.Write(ref _placement, placement);
        var shares = CacheShare.Follow(Scheduler.Plan.Topology, placement.Node, [.. Groups.Select(static group => group.Cache)]);
        foreach (var (group, share) in Groups.Zip(shares))
        {
            group.Place(new GroupPlacement(placement, share));
        }

        Volatile.Write(ref _division, Divide());
    }

    public long Sum(Func<WorkerGroup, long> read)
    {
        long sum = 0;
        foreach (var group in Groups)
        {
            sum += read(group);
        }

        return sum;
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

    public long Escapes => Volatile.Read(ref _shared.Escapes);

    /// <summary>Checks where a task that work on this node has returned ends.</summary>
    public T Watch<T>(T task)
        where T : Task
    {
        // A task that runs its continuations elsewhere does not show where it ended. Null is left to the runtime to reject.
        if (task is { IsCompleted: false } && (task.CreationOptions & TaskCreationOptions.RunContinuationsAsynchronously) == 0)
        {
            // On the pool's scheduler, which runs it in place on any thread; a node's would queue it.
            _ = task.ContinueWith(
                static (_, state) => ((NodeWorkers)state!).NoteEnd(),
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
            Interlocked.Increment(ref _shared.Escapes);
        }
    }

    // Written by many threads: must not share a line with what the workers read all the time.
    [StructLayout(LayoutKind.Explicit, Size = 512)]
    private struct Shared
    {
        [FieldOffset(128)]
        public long Escapes;

        [FieldOffset(256)]
        public int IsSpinning;

        // Read by producers that find their own group's workers busy; written when a whole group becomes busy, or no longer is.
        [FieldOffset(384)]
        public int GroupsWithIdle;
    }
}
