using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Scheduling;

// Which workers are idle, which search for work, and which thread wakes them. README.md has the rules, and why no wake-up is
// lost.
internal sealed partial class WorkerGroup
{
    private const long IdleOne = 1;
    private const long SearchingOne = 1L << 32;

    private const int CountBits = 20;
    private const long CountMask = (1L << CountBits) - 1;
    private const long WorkerOne = 1L << CountBits;
    private const long ChangeOne = 1L << (2 * CountBits);

    private readonly IdleSet _idle;
    private Counts _counts;

    public int IdleCount => IdleOf(Volatile.Read(ref _counts.Packed));

    /// <summary>Called after an item was queued here and a full fence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Notify()
    {
        var counts = Volatile.Read(ref _counts.Packed);
        if (SearchingOf(counts) != 0)
        {
            // A searching worker checks again before it sleeps, and wakes the next one when it finds something.
            return;
        }

        if (IdleOf(counts) != 0)
        {
            TryWake();
        }
        else
        {
            NotifySaturated();
        }
    }

    public void BeginSearch() => Interlocked.Add(ref _counts.Packed, SearchingOne);

    /// <summary>
    /// Ends a search that found something: there may be more items, for which it kept producers from waking a worker.
    /// </summary>
    public void EndSearch()
    {
        var counts = Interlocked.Add(ref _counts.Packed, -SearchingOne);
        if (SearchingOf(counts) != 0)
        {
            return;
        }

        if (IdleOf(counts) == 0)
        {
            NotifyForNode();
        }
        else if (HasWork)
        {
            TryWake();
        }
    }

    /// <summary>Ends a search in vain: from here on the worker may be woken. The caller checks for work once more.</summary>
    public void AnnounceIdle(int slot)
    {
        Interlocked.Add(ref _counts.Population, IdleOne);
        if (IdleOf(Interlocked.Add(ref _counts.Packed, IdleOne - SearchingOne)) == 1)
        {
            Home.CountGroupWithIdle(1);
        }

        _idle.Add(slot);
    }

    /// <summary>Withdraws the announcement and resumes searching; false when a waker was faster: it will signal.</summary>
    public bool TryWithdraw(int slot)
    {
        if (!_idle.TryRemove(slot))
        {
            return false;
        }

        EndIdle(SearchingOne);
        return true;
    }

    /// <summary>Whether there is something that a worker of this group may take.</summary>
    public bool HasWork
    {
        get
        {
            if (HasOwnWork)
            {
                return true;
            }

            NodeWorkers? declined = null;
            foreach (var neighbour in Neighbours)
            {
                if (neighbour.IsWorthStealingUnless(ref declined) && neighbour.Group.HasOwnWork)
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Whether no worker of the group is idle, woken or searching: none is about to take what is queued.</summary>
    public bool IsSaturated => Volatile.Read(ref _counts.Packed) == 0;

    // Other nodes have left the work of this node's saturated groups to the search that has ended.
    private void NotifyForNode()
    {
        foreach (var group in Home.Groups)
        {
            if ((group == this || group.IsSaturated) && group.HasOwnWork)
            {
                group.NotifySaturated();
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void NotifySaturated()
    {
        if (Neighbours.Length != 0)
        {
            WakeNeighbour();
        }

        Scheduler.Monitor.Wake();
        Scheduler.Starter?.NoticeWork(this);
    }

    private void WakeNeighbour()
    {
        var neighbours = Neighbours;
        var isOverdue = IsOverdue;
        for (var i = 0; i < neighbours.Length;)
        {
            // Overdue work does not rely on workers that have yet to do something.
            var neighbour = neighbours[i];
            if (!isOverdue && !neighbour.Group.Home.HasIdle)
            {
                i = neighbour.NextNode;
                continue;
            }

            var counts = Volatile.Read(ref neighbour.Group._counts.Packed);
            if (neighbour.IsOfSameNode && SearchingOf(counts) != 0 && !isOverdue)
            {
                // It looks here, too, before it sleeps or when it has found something else: one at a time, as in one group.
                return;
            }

            if (IdleOf(counts) == 0)
            {
                i++;
            }
            else if (neighbour.Reverse.IsWorthStealing)
            {
                if (neighbour.Group.TryWake())
                {
                    return;
                }

                i++;
            }
            else if (neighbour.IsOfSameNode || !Home.IsSaturated)
            {
                // Nor is it for the others.
                return;
            }
            else
            {
                // It is too far for this node. One behind it may be nearer: firmware need not give both ways the same distance.
                i = neighbour.NextNode;
            }
        }
    }

    private void EndIdle(long searching)
    {
        if (IdleOf(Interlocked.Add(ref _counts.Packed, searching - IdleOne)) == 0)
        {
            Home.CountGroupWithIdle(-1);
        }

        Interlocked.Add(ref _counts.Population, ChangeOne - IdleOne);
    }

    private bool TryWake()
    {
        while (true)
        {
            var counts = Volatile.Read(ref _counts.Packed);
            if (IdleOf(counts) == 0 || SearchingOf(counts) != 0)
            {
                return false;
            }

            // The waker counts as searching on behalf of the worker that it is about to wake: no other thread wakes a second one.
            if (Interlocked.CompareExchange(ref _counts.Packed, counts + SearchingOne, counts) != counts)
            {
                continue;
            }

            if (_idle.TryTake(out var slot))
            {
                EndIdle(0);
                Volatile.Read(ref _slots[slot])!.Unpark();
                return true;
            }

            // The idle ones are still announcing themselves or already withdrawing, and check for work after that. Other threads
            // may have relied on this search meanwhile, and a worker may have fallen asleep before they queued.
            counts = Interlocked.Add(ref _counts.Packed, -SearchingOne);
            if (SearchingOf(counts) != 0)
            {
                return false;
            }

            if (IdleOf(counts) == 0)
            {
                // The last idle one has found something else: no worker here will take what was left to this search.
                NotifyForNode();
                return false;
            }

            if (_idle.IsEmpty || !HasWork)
            {
                return false;
            }
        }
    }

    private static int IdleOf(long counts) => (int)(counts & uint.MaxValue);

    private static int SearchingOf(long counts) => (int)(counts >> 32);

    // The end of the scheduler: drained is where all workers of all groups are idle, and nothing is queued.

    /// <summary>In one word: idle workers, all workers, and how often a worker has stopped being idle.</summary>
    public long Population => Volatile.Read(ref _counts.Population);

    /// <summary>
    /// Whether all workers were idle: one that is being woken counts as idle until just before it takes the item.
    /// </summary>
    public static bool AreAllIdle(long population) => (population & CountMask) == ((population >> CountBits) & CountMask);

    private void CountWorker(int change)
    {
        Interlocked.Add(ref _counts.Population, change * WorkerOne);
        if (change < 0)
        {
            Scheduler.NoticeIdle();
        }
    }

    // Every thread that queues here reads the first: nothing else is on its cache lines.
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Counts
    {
        [FieldOffset(128)]
        public long Packed;

        [FieldOffset(256)]
        public long Population;
    }
}
