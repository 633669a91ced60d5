using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>One thread of a group: runs items, own ones first, and sleeps when there is none that it may take.</summary>
internal sealed partial class Worker
{
    // How long an idle spare waits for the next blocked worker before its thread ends.
    private const int SpareIdleMilliseconds = 1000;

    [ThreadStatic]
    private static Worker? t_current;

    private readonly Thread _thread;
    private readonly string _name;
    private readonly Parker _parker = Parker.Create();
    private ExecutionContext? _cleanContext;
    private SynchronizationContext? _ownSynchronization;
    private GroupPlacement? _placement;
    private SpinPredictor _spin;
    private YieldPredictor _yields;
    private long _wokenAt;

    // The neighbour that its item was stolen from, until listeners are called.
    private Neighbour? _unreportedSteal;

    private bool _isExpired;
    private bool _isStarted;
    private Own _own = new() { UntilFair = FairnessInterval, UntilOldest = OldestInterval };
    private readonly long[] _stolenRemote;
    private int _cache = -1;

    public Worker(WorkerGroup group, int slot)
    {
        Group = group;
        Slot = slot;
        _own.Random = (uint)slot + 1;
        _stolenRemote = new long[group.Neighbours.Length];
        _spin = new SpinPredictor(group.Scheduler.Spin);
        _yields = new YieldPredictor(group.Scheduler.Spin);
        _name = group.NameOf(slot);
        _thread = new Thread(Run) { IsBackground = true, Name = _name };
    }

    /// <summary>The worker of the calling thread.</summary>
    public static Worker? Current => t_current;

    public WorkerGroup Group { get; }

    public int Slot { get; }

    public WorkDeque Deque { get; } = new();

    public WorkBatch Batch { get; } = new();

    /// <summary>How many items wait for it that others may take.</summary>
    public int QueuedCount => Batch.Count + Deque.Count;

    public bool HasQueued => !Batch.IsEmpty || !Deque.IsEmpty;

    public long Executed => Volatile.Read(ref _own.Executed);

    public long StolenSameCache => Volatile.Read(ref _own.StolenSameCache);

    public long StolenSameNode => Volatile.Read(ref _own.StolenSameNode);

    /// <summary>The last-level cache of the CPU that it ran on when it last looked for work; -1 if unknown.</summary>
    public int Cache => Volatile.Read(ref _cache);

    public bool IsStarted => Volatile.Read(ref _isStarted);

    /// <summary>Whether the thread is in a wait known to the runtime (lock, event, sleep, join), or has no work.</summary>
    public bool IsWaiting =>
        _parker.IsAsleep || (_thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0;

    /// <summary>
    /// Whether the monitor has found that it still ran the same item while work waited: what is in its batch comes first on
    /// other workers.
    /// </summary>
    public bool IsHeldUp
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    // For the monitor alone: the items run at its last check, and for how many checks that has not changed.
    public long SeenExecuted { get; set; }

    public int StaleLooks { get; set; }

    /// <summary>
    /// Removes a task that is to be run in place from its own queue, if it is the newest item there: the code that waits for a
    /// task has mostly just queued it, and a task left there would be stolen, or run once more in vain. Called by its own thread.
    /// </summary>
    public void TakeBack(Task task, ITaskRunner runner)
    {
        if (Deque.TryTakeBack(task, runner))
        {
            Volatile.Write(ref _own.Executed, _own.Executed + 1);
        }
    }

    public void Start() => SystemThread.Start(_thread);

    public void Unpark()
    {
        Volatile.Write(ref _wokenAt, Stopwatch.GetTimestamp());
        _parker.Signal();
    }

    /// <summary>Takes the oldest item that waits for it. Any thread.</summary>
    public bool TrySteal(out WorkItem item) => Batch.TryTake(out item) || Deque.TrySteal(out item);

    /// <summary>The items that wait for it, for a debugger that has stopped all threads.</summary>
    public IEnumerable<WorkItem> Snapshot() => Batch.Snapshot().Concat(Deque.Snapshot());

    /// <summary>How many items it has taken from one of the group's neighbours.</summary>
    public long StolenFrom(int neighbour) => Volatile.Read(ref _stolenRemote[neighbour]);

    public void AddStolenRemote(long[] sums)
    {
        for (var i = 0; i < sums.Length; i++)
        {
            sums[i] += StolenFrom(i);
        }
    }

    public bool Join(TimeSpan limit) => _thread.Join(limit);

    // A plan with fewer workers turns the others into spares.
    private bool IsSpare
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Slot >= Group.BaseCount;
    }

    private bool IsPlaced => ReferenceEquals(_placement, Group.Placement);

    private void Run()
    {
        t_current = this;
        CallersContext.Clean = _cleanContext = ExecutionContext.Capture();
        SynchronizationContext.SetSynchronizationContext(_ownSynchronization = Group.Home.ContextOfItems);
        FollowPlacement();
        Volatile.Write(ref _isStarted, true);
        var scheduler = Group.Scheduler;
        while (!scheduler.IsStopped)
        {
            if (!IsPlaced)
            {
                FollowPlacement();
            }

            var item = Find();
            if (item.IsThere)
            {
                Execute(item);
                if (IsSpare && Batch.IsEmpty && Group.TryTakeRetirement())
                {
                    Retire();
                    return;
                }
            }
            else if (_isExpired)
            {
                Retire();
                return;
            }
            else
            {
                WaitForWork();
            }
        }

        while (Batch.TryPop(out var left) || Deque.TryPop(out left))
        {
            scheduler.RunLeft(left);
        }
    }

    private void FollowPlacement()
    {
        _placement = Group.Placement;
        _placement.PinWorker(Slot);
    }

    private void WaitForWork()
    {
        BorrowedThread.Reset(_thread, _name);
        Deque.ClearStolen();
        Batch.Clear();
        Group.Queue.Trim();
        KeepApart();
        _own.IsSearching = false;
        Group.AnnounceIdle(Slot);
        if ((IsPlaced && !Group.HasWork) || !Group.TryWithdraw(Slot))
        {
            Sleep();
            _spin.EndIdle(Volatile.Read(ref _wokenAt));
        }

        // Ending the idleness, by a waker or by this worker, counted it as searching.
        _own.IsSearching = true;
        _spin.BeginIdle(Stopwatch.GetTimestamp());
    }

    private void Sleep()
    {
        Group.WatchNeighbours();
        Group.Scheduler.NoticeIdle();
        OfferCpu();
        if (_parker.Wait(IsSpare ? SpareIdleMilliseconds : Timeout.Infinite))
        {
            return;
        }

        _isExpired = Group.TryWithdraw(Slot);
        if (!_isExpired)
        {
            // A waker was faster than the time-out: its signal is on the way.
            _parker.Wait();
        }
    }

    // Idleness is announced already: a signal that comes meanwhile finds no sleeping thread, and costs no system call.
    private void OfferCpu()
    {
        if (_parker.IsSignalled || !_yields.ShouldYield())
        {
            return;
        }

        Thread.Yield();
        if (!_parker.IsSignalled)
        {
            return;
        }

        var now = Stopwatch.GetTimestamp();
        var waited = now - Volatile.Read(ref _wokenAt);

        // While no other worker sleeps, there was hardly a CPU to run on sooner.
        if (_yields.EndYield(waited) && Group.IdleCount != 0 && YieldPredictor.WasWorthWaking(waited, Group.QueueLength))
        {
            _yields.Pause(now);
        }
    }

    private void Execute(WorkItem item)
    {
        Group.Scheduler.Execute(item);

        // An item must not leave its AsyncLocals or its SynchronizationContext to the next one.
        if (!ReferenceEquals(ExecutionContext.Capture(), _cleanContext))
        {
            ExecutionContext.Restore(_cleanContext!);
        }

        if (!ReferenceEquals(SynchronizationContext.Current, _ownSynchronization))
        {
            SynchronizationContext.SetSynchronizationContext(_ownSynchronization);
        }

        Volatile.Write(ref _own.Executed, _own.Executed + 1);
    }

    private void Retire()
    {
        var hasLeft = false;
        while (Deque.TryPop(out var left))
        {
            Group.Queue.Enqueue(left);
            hasLeft = true;
        }

        Group.Remove(this);
        if (hasLeft)
        {
            Group.Scheduler.Announce(Group);
        }

        if (_own.IsSearching)
        {
            StopSearching();
        }
    }

    // Written with each item, and at each search: on lines that thieves do not read: they look at queues and caches.
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Own
    {
        [FieldOffset(128)]
        public long Executed;

        [FieldOffset(136)]
        public long StolenSameCache;

        [FieldOffset(144)]
        public long StolenSameNode;

        [FieldOffset(152)]
        public int UntilFair;

        [FieldOffset(156)]
        public int UntilOldest;

        [FieldOffset(160)]
        public uint Random;

        [FieldOffset(164)]
        public bool IsSearching;
    }
}
