using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The free blocks that one thread keeps of one allocator: a bin per node and size. Its thread takes and puts blocks without
/// a lock while the allocator's gate is open; everything else is under <see cref="Lock"/>.
/// </summary>
internal sealed unsafe class ThreadHeap
{
    private const nuint Alignment = 128;

    private readonly AllocatorNode[] _nodes;
    private readonly MagazineStore _store;
    private readonly int _binCount;
    private int _homeIndex;
    private long _visits;
    private bool _isBusy;
    private long? _lastCount;

    public ThreadHeap(long gate, AllocatorNode[] nodes, MagazineStore store)
    {
        Gate = gate;
        _nodes = nodes;
        _store = store;
        _binCount = 1 + (nodes.Length * SizeClasses.Count);
        Bins = (HeapBin*)NativeMemory.AlignedAlloc((nuint)(_binCount * sizeof(HeapBin)), Alignment);
        NativeMemory.Clear(Bins, (nuint)(_binCount * sizeof(HeapBin)));
        Thread = Thread.CurrentThread;
        HomeIndex = 0;
    }

    // Another finalizer may want the count after this one.
    ~ThreadHeap()
    {
        if (Bins != null)
        {
            _lastCount = CountAll();
            NativeMemory.AlignedFree(Bins);
        }
    }

    public Lock Lock { get; } = new();

    /// <summary>Identifies its allocator: no two have the same.</summary>
    public long Gate { get; }

    /// <summary>The allocator's gate value when the thread last checked where it runs.</summary>
    public long SeenGate { get; set; }

    /// <summary>Bin 0 is for addresses that are no block of a size class: it never has anything nor takes anything.</summary>
    public HeapBin* Bins { get; }

    /// <summary>The home node's bins, as if they began at <see cref="SizeClasses.CodeOf"/> 0.</summary>
    public HeapBin* HomeOrigin { get; private set; }

    /// <summary>The owning thread; the heap of a thread that has ended goes to the next thread that needs one.</summary>
    public Thread Thread { get; set; }

    public int HomeIndex
    {
        get => _homeIndex;
        set
        {
            if (value == _homeIndex && HomeOrigin != null)
            {
                return;
            }

            _homeIndex = value;
            HomeOrigin = Bins + BinOf(value, 0) - SizeClasses.CodeOfFirst;
        }
    }

    /// <summary>How often magazines came or went since the last call; a thread that needs no exchange counts as idle.</summary>
    public long TakeVisits() => Interlocked.Exchange(ref _visits, 0);

    /// <summary>
    /// For its thread: changes magazines without the lock. A thread that closes the gate waits until this one has left: either
    /// the check of the gate here or the check of the plain store there sees the other side's write, because the closing thread
    /// runs a barrier on all CPUs in between (the asymmetric form of Dekker's algorithm).
    /// </summary>
    public bool TryEnter(ref long gate)
    {
        Volatile.Write(ref _isBusy, true);
        if (Volatile.Read(ref gate) == Gate)
        {
            return true;
        }

        Leave();
        return false;
    }

    public void Leave() => Volatile.Write(ref _isBusy, false);

    /// <summary>For other threads, after the barrier.</summary>
    public void WaitUntilLeft() => Interruption.WaitWhile(ref _isBusy);

    public static int BinOf(int nodeIndex, int sizeClass) => 1 + (nodeIndex * SizeClasses.Count) + sizeClass;

    /// <summary>Takes a block of a size on a node; 0 when there is none, and the system gives none.</summary>
    public nint Take(int nodeIndex, int sizeClass, out NumaResult failure)
    {
        failure = NumaResult.Success;
        var bin = Bins + BinOf(nodeIndex, sizeClass);
        if (bin->Top == bin->Bottom && !Refill(bin, _nodes[nodeIndex].CentralOf(sizeClass), out failure))
        {
            nint lone;
            return bin->Limit == null && _nodes[nodeIndex].CentralOf(sizeClass).Carve(&lone, 1, out failure) > 0 ? lone : 0;
        }

        return *--bin->Top;
    }

    /// <summary>Puts back a block.</summary>
    public void Put(SizeCentral central, nint block)
    {
        var bin = Bins + BinOf(central.Node.Index, central.SizeClass);
        if (bin->Top == bin->Limit && !MakeRoom(bin, central))
        {
            central.PutLoose(block);
            return;
        }

        *bin->Top++ = block;
    }

    /// <summary>How many free blocks are in the bin. A snapshot while the thread works.</summary>
    public int CountOf(int nodeIndex, int sizeClass)
    {
        var bin = Bins + BinOf(nodeIndex, sizeClass);
        return Math.Max(0, bin->Count) + bin->SpareCount;
    }

    public long CountAll()
    {
        if (_lastCount is { } last)
        {
            return last;
        }

        long count = 0;
        ForEachBin((_, bin, _) => count += bin->Count + bin->SpareCount);
        return count;
    }

    /// <summary>Gives everything back. The thread is the calling one, or has ended, or is kept out for good.</summary>
    public void Drain()
    {
        ForEachBin(static (heap, bin, central) =>
        {
            heap.PassOnSpare(bin, central);
            if (bin->Limit != null)
            {
                var magazine = heap._store.MagazineOf(bin->Bottom);
                heap.PassOn(magazine, heap.Compact(bin), central);
                bin->Top = bin->Bottom = bin->Limit = null;
            }
        });
    }

    /// <summary>
    /// Gives everything back but the top block of each size. The thread may be in the middle of one operation that it began
    /// before the gate was closed: that takes the top block or puts one on it, and does not touch the blocks below.
    /// </summary>
    public void Steal() => ForEachBin(static (heap, bin, central) =>
    {
        heap.PassOnSpare(bin, central);
        heap.StealBelowTop(bin, central);
    });

    /// <summary>Gives back the magazines behind the loaded ones.</summary>
    public void GiveBackSpares() => ForEachBin(static (heap, bin, central) => heap.PassOnSpare(bin, central));

    private bool Refill(HeapBin* bin, SizeCentral central, out NumaResult failure)
    {
        _visits++;
        failure = NumaResult.Success;
        if (bin->SpareCount > 0)
        {
            Swap(bin, central);
            return true;
        }

        var magazine = central.TakeFull(out var count);
        if (magazine != 0)
        {
            Load(bin, central, magazine, count);
            return true;
        }

        if (bin->Limit == null && !LoadEmpty(bin, central))
        {
            return false;
        }

        bin->Top = bin->Bottom = SlotsOf(bin);
        count = central.Carve(bin->Bottom, central.MagazineCapacity, out failure);
        bin->Top = bin->Bottom + count;
        return count > 0;
    }

    private bool MakeRoom(HeapBin* bin, SizeCentral central)
    {
        _visits++;
        if (bin->Limit == null)
        {
            return LoadEmpty(bin, central);
        }

        if (bin->Bottom != SlotsOf(bin))
        {
            Compact(bin);
            return true;
        }

        if (bin->Spare != 0 && bin->SpareCount == 0)
        {
            Swap(bin, central);
            return true;
        }

        var empty = central.TakeEmpty();
        if (empty == 0)
        {
            return false;
        }

        PassOnSpare(bin, central);
        bin->Spare = _store.MagazineOf(bin->Bottom);
        bin->SpareCount = bin->Count;
        SetLoaded(bin, central, empty, 0);
        return true;
    }

    private void StealBelowTop(HeapBin* bin, SizeCentral central)
    {
        var taken = bin->Count - 1;
        if (taken <= 0)
        {
            return;
        }

        var magazine = central.TakeEmpty();
        if (magazine != 0)
        {
            new Span<nint>(bin->Bottom, taken).CopyTo(new Span<nint>(_store.SlotsOf(magazine), taken));
            bin->Bottom += taken;
            PassOn(magazine, taken, central);
            return;
        }

        for (var i = 0; i < taken; i++)
        {
            central.PutLoose(*bin->Bottom++);
        }
    }

    private void Load(HeapBin* bin, SizeCentral central, uint magazine, int count)
    {
        if (bin->Limit != null)
        {
            // The empty one is kept for blocks that are put back next.
            if (bin->Spare != 0)
            {
                central.PutEmpty(bin->Spare);
            }

            bin->Spare = _store.MagazineOf(bin->Bottom);
            bin->SpareCount = 0;
        }

        SetLoaded(bin, central, magazine, count);
    }

    private bool LoadEmpty(HeapBin* bin, SizeCentral central)
    {
        var empty = central.TakeEmpty();
        if (empty == 0)
        {
            return false;
        }

        SetLoaded(bin, central, empty, 0);
        return true;
    }

    // Either magazine is empty.
    private void Swap(HeapBin* bin, SizeCentral central)
    {
        var (spare, count) = (bin->Spare, bin->SpareCount);
        bin->Spare = _store.MagazineOf(bin->Bottom);
        bin->SpareCount = Compact(bin);
        SetLoaded(bin, central, spare, count);
    }

    private void PassOnSpare(HeapBin* bin, SizeCentral central)
    {
        if (bin->Spare != 0)
        {
            PassOn(bin->Spare, bin->SpareCount, central);
            bin->Spare = 0;
            bin->SpareCount = 0;
        }
    }

    private void PassOn(uint magazine, int count, SizeCentral central)
    {
        if (count == 0)
        {
            central.PutEmpty(magazine);
            return;
        }

        if (central.Node.Index != _homeIndex)
        {
            central.Node.CountRemoteFrees(count);
        }

        central.PutFull(magazine, count);
    }

    private int Compact(HeapBin* bin)
    {
        var start = SlotsOf(bin);
        var count = bin->Count;
        if (bin->Bottom != start)
        {
            new Span<nint>(bin->Bottom, count).CopyTo(new Span<nint>(start, count));
            bin->Bottom = start;
            bin->Top = start + count;
        }

        return count;
    }

    private void SetLoaded(HeapBin* bin, SizeCentral central, uint magazine, int count)
    {
        var start = _store.SlotsOf(magazine);
        bin->Bottom = start;
        bin->Top = start + count;
        bin->Limit = start + central.MagazineCapacity;
    }

    private nint* SlotsOf(HeapBin* bin) => _store.SlotsOf(_store.MagazineOf(bin->Bottom));

    private void ForEachBin(BinAction action)
    {
        for (var node = 0; node < _nodes.Length; node++)
        {
            for (var sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
            {
                var bin = Bins + BinOf(node, sizeClass);
                if (bin->Limit != null || bin->Spare != 0)
                {
                    action(this, bin, _nodes[node].CentralOf(sizeClass));
                }
            }
        }
    }

    private delegate void BinAction(ThreadHeap heap, HeapBin* bin, SizeCentral central);
}

/// <summary>
/// A thread's free blocks of one size on one node: the loaded magazine, a stack of addresses outside the blocks, and a spare
/// one behind it. Only the thread writes <see cref="Top"/>.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct HeapBin
{
    /// <summary>Behind the last free block. Equal to <see cref="Bottom"/>: nothing to take.</summary>
    public nint* Top;

    /// <summary>The first free block. Moves up when other threads steal from below.</summary>
    public nint* Bottom;

    /// <summary>Behind the last slot. Equal to <see cref="Top"/>: no room; so for a bin that has no magazine yet.</summary>
    public nint* Limit;

    /// <summary>The magazine behind the loaded one; 0 for none. All free or all used but for steals.</summary>
    public uint Spare;

    /// <summary>How many blocks are in the spare one, from its first slot on.</summary>
    public int SpareCount;

    public readonly int Count => (int)(Top - Bottom);
}
