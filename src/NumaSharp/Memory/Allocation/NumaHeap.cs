using System.Runtime.CompilerServices;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <summary>
/// The calling thread's own heap of a <see cref="NumaAllocator"/>, found once instead of at every operation: for loops that
/// allocate and free a lot. For one thread, while the variable lives; blocks may be freed in any other way, too.
/// </summary>
/// <remarks>New blocks come from the node that the thread ran on when the heap was opened.</remarks>
public readonly unsafe ref struct NumaHeap
{
    private readonly NumaAllocator _allocator;
    private readonly HeapBin* _bins;
    private readonly HeapBin* _homeOrigin;
    private readonly long _gate;

    internal NumaHeap(NumaAllocator allocator, ThreadHeap heap)
    {
        _allocator = allocator;
        _bins = heap.Bins;
        _homeOrigin = heap.HomeOrigin;
        _gate = heap.Gate;
    }

    /// <summary>As <see cref="NumaAllocator.Allocate(nuint)"/>.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be freed here or by <see cref="NumaAllocator.Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void* Allocate(nuint size)
    {
        if (_allocator.IsOpen(_gate) && size - 1 < SizeClasses.Largest)
        {
            var bin = _homeOrigin + SizeClasses.CodeOf(size);
            var top = bin->Top;
            if (top != bin->Bottom)
            {
                bin->Top = --top;
                var block = *top;
                GC.KeepAlive(_allocator);
                return (void*)block;
            }
        }

        // On the heap's node even if the thread has moved: otherwise each call would come here.
        return _allocator.AllocateSlow(size, (int)(_homeOrigin + SizeClasses.CodeOfFirst - _bins) / SizeClasses.Count);
    }

    /// <summary>As <see cref="NumaAllocator.Free"/>.</summary>
    /// <param name="pointer">A block of the allocator, from any of its methods; <see langword="null"/> does nothing.</param>
    /// <exception cref="InvalidOperationException">The address is in no block of the allocator.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Free(void* pointer)
    {
        // The gate first: once it is closed, the map may be gone.
        if (_allocator.IsOpen(_gate))
        {
            var bin = _bins + _allocator.BinOf(pointer);
            var top = bin->Top;
            if (top != bin->Limit)
            {
                *top = (nint)pointer;
                bin->Top = top + 1;
                GC.KeepAlive(_allocator);
                return;
            }
        }

        _allocator.FreeSlow((nint)pointer);
    }
}
