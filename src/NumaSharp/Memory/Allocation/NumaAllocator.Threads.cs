using System.Runtime.CompilerServices;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <content>
/// The slow path: blocks between a thread's heap and the nodes. Lock order: reclaim, heaps, one thread heap, size, node.
/// </content>
public sealed unsafe partial class NumaAllocator
{
    private readonly Lock _heapsLock = new();
    private readonly HomeTimer? _homeTimer;

    // Replaced, never changed: read without the lock.
    private ThreadHeap[] _heaps = [];

    /// <summary>Whether a heap with this gate value may be used without its lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOpen(long gate) => Volatile.Read(ref _heapsGate) == gate;

    /// <summary>
    /// The bin of an address's blocks in each heap; 0, the one that takes nothing, for an address outside all runs.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint BinOf(void* pointer)
    {
        var offset = (nuint)((nint)pointer - _rangeStart);
        return offset < _rangeSize ? _map[offset >> AllocatorChunk.SmallRunShift] : 0u;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void* AllocateSlow(nuint size) => AllocateSlow(size, _current.Index);

    internal void* AllocateSlow(nuint size, int nodeIndex) => _guard is not null ? _guard.Allocate(nodeIndex, size, 1)
        : size > SizeClasses.Largest ? (void*)AllocateLarge(nodeIndex, size, 1).Address
        : (void*)TakeSmall(nodeIndex, SizeClasses.ClassOf(Math.Max(size, 1)));

    private nint TakeSmall(int nodeIndex, int sizeClass)
    {
        var heap = EnterHeap();
        var block = Take(heap, nodeIndex, sizeClass, out _);
        if (block == 0)
        {
            // Memory that other sizes and threads keep is used before this fails.
            Reclaim();
            block = Take(heap, nodeIndex, sizeClass, out var failure);
            if (block == 0)
            {
                throw _nodes[nodeIndex].OutOfMemory((nuint)SizeClasses.SizeOf(sizeClass), failure);
            }
        }

        if (_nodes[nodeIndex].WantsReclaim)
        {
            ReclaimAfter(nodeIndex, block);
        }

        return block;
    }

    private void ReclaimAfter(int nodeIndex, nint allocated)
    {
        try
        {
            lock (_reclaimLock)
            {
                if (!_disposed)
                {
                    _nodes[nodeIndex].ReleaseFreeRuns(everything: true, _magazines);
                }
            }
        }
        catch
        {
            // An interruption, or a provider threw: the caller gets nothing, so nothing may leak.
            FreeUnguarded(allocated);
            throw;
        }
    }

    private nint Take(ThreadHeap heap, int nodeIndex, int sizeClass, out NumaResult failure)
    {
        if (heap.TryEnter(ref _heapsGate))
        {
            try
            {
                return heap.Take(nodeIndex, sizeClass, out failure);
            }
            finally
            {
                heap.Leave();
            }
        }

        lock (heap.Lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return heap.Take(nodeIndex, sizeClass, out failure);
        }
    }

    private bool TryPut(ThreadHeap heap, SizeCentral central, nint block)
    {
        if (heap.TryEnter(ref _heapsGate))
        {
            try
            {
                heap.Put(central, block);
                return true;
            }
            finally
            {
                heap.Leave();
            }
        }

        // Its user has given it up: an interruption must not lose it.
        using (UninterruptedLock.Enter(heap.Lock))
        {
            if (_disposed)
            {
                return false;
            }

            heap.Put(central, block);
            return true;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void FreeSlow(nint address)
    {
        if (address == 0)
        {
            return;
        }

        if (_guard is not null)
        {
            _guard.Free(address);
            return;
        }

        FreeUnguarded(address);
    }

    /// <summary>Frees a block in use, whatever the mode.</summary>
    internal void FreeUnguarded(nint address)
    {
        var nodeIndex = _range.IndexOf(address);
        if (nodeIndex < 0)
        {
            if (!FreeLarge(address))
            {
                throw NotABlock(address);
            }
        }
        else
        {
            FreeSmall(address, nodeIndex);
        }

        if (_disposed)
        {
            OnFreedAfterDispose();
        }
    }

    private void FreeSmall(nint address, int nodeIndex)
    {
        var bin = _released ? 0 : _map[(nuint)(address - _rangeStart) >> AllocatorChunk.SmallRunShift];
        if (bin == 0)
        {
            throw NotABlock(address);
        }

        var central = _nodes[nodeIndex].CentralOf(bin - ThreadHeap.BinOf(nodeIndex, 0));
        if (TryEnterHeap() is not { } heap || !TryPut(heap, central, address))
        {
            central.PutLoose(address);
        }
    }

    private ThreadHeap EnterHeap() => TryEnterHeap() ?? throw new ObjectDisposedException(nameof(NumaAllocator));

    /// <summary>
    /// The calling thread's heap, which its next operations find directly; <see langword="null"/> when the allocator is disposed.
    /// </summary>
    private ThreadHeap? TryEnterHeap()
    {
        var heap = HeapSlots.Current;
        if (heap is null || heap.Gate != _heapGate)
        {
            heap = ThreadSlots.Find(_slot) is ThreadHeap kept && kept.Gate == _heapGate ? kept : AttachHeap();
            if (heap is null)
            {
                return null;
            }
        }

        // The gate first: after a later tick the thread comes here again. While it is closed, the thread comes each time.
        var gate = Volatile.Read(ref _gate);
        heap.HomeIndex = Volatile.Read(ref _current).Index;
        if (gate != heap.SeenGate && gate != Closed && _homeTimer?.TryArm() != false)
        {
            heap.SeenGate = gate;
        }

        HeapSlots.Use(heap, gate == Closed ? 0 : gate);
        return heap;
    }

    private ThreadHeap? AttachHeap()
    {
        // Asks the affinity provider, which may be a plugin's.
        var home = _current.Index;

        // As for TryPut: the first that a thread does may be a free.
        using (UninterruptedLock.Enter(_heapsLock))
        {
            if (_disposed)
            {
                return null;
            }

            var heap = Array.Find(_heaps, static heap => !heap.Thread.IsAlive);
            if (heap is null)
            {
                heap = new ThreadHeap(_heapGate, _nodes, _store);
                Volatile.Write(ref _heaps, [.. _heaps, heap]);
            }
            else
            {
                // After IsAlive, so that everything that the thread wrote is seen.
                Interlocked.MemoryBarrier();

                // A thread that drains the heap of an ended thread finishes first.
                using (UninterruptedLock.Enter(heap.Lock))
                {
                    heap.Thread = Thread.CurrentThread;
                    if (heap.HomeIndex != home)
                    {
                        // Mostly blocks of the other node: of no use here, and they would count as freed here.
                        heap.Drain();
                    }
                }
            }

            ThreadSlots.Keep(_slot, heap);
            return heap;
        }
    }

    /// <summary>
    /// Makes each thread take the slow path once, and check where it runs. A closed gate gets another value when it opens.
    /// </summary>
    internal void RefreshHomeNodes()
    {
        var current = Volatile.Read(ref _current);
        Interlocked.CompareExchange(ref _current, current.Invalidated(), current);
        var gate = Volatile.Read(ref _gate);
        if (gate != Closed)
        {
            Interlocked.CompareExchange(ref _gate, Interlocked.Increment(ref s_lastGate), gate);
        }
    }

    /// <summary>Runs an action on each thread's heap while no thread uses its own, but for one operation in progress.</summary>
    private void CollectFromThreads(Action<ThreadHeap> collect)
    {
        Volatile.Write(ref _gate, Closed);
        Volatile.Write(ref _heapsGate, Closed);
        try
        {
            // membarrier(2): from here on a thread either sees the closed gate, or finishes one operation that it had begun.
            Interlocked.MemoryBarrierProcessWide();
            foreach (var heap in Volatile.Read(ref _heaps))
            {
                heap.WaitUntilLeft();
                using (UninterruptedLock.Enter(heap.Lock))
                {
                    collect(heap);
                }
            }
        }
        finally
        {
            if (!_disposed)
            {
                OpenGate();
            }
        }
    }

    // With a guard no thread ever finds its heap open.
    private void OpenGate()
    {
        if (_guard is null)
        {
            Volatile.Write(ref _heapsGate, _heapGate);
            Volatile.Write(ref _gate, Interlocked.Increment(ref s_lastGate));
        }
    }

    // Everything of ended threads; of the others all but one block of each size.
    private static void Collect(ThreadHeap heap)
    {
        var isMine = heap.Thread == Thread.CurrentThread;
        if (isMine || !heap.Thread.IsAlive)
        {
            Interlocked.MemoryBarrier();
            heap.Drain();
        }
        else
        {
            heap.Steal();
        }
    }
}
