namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Which allocator the calling thread used last, and its heap there: what the fast path needs, in one thread-static block of
/// plain values, which the runtime reads in line.
/// </summary>
internal static unsafe class HeapSlots
{
    /// <summary>
    /// The <see cref="NumaAllocator"/>'s gate value when the thread last checked; these start at 1 and are never used again.
    /// </summary>
    [ThreadStatic]
    public static long Gate;

    /// <summary>The heap's bins, of all nodes.</summary>
    [ThreadStatic]
    public static HeapBin* Bins;

    /// <summary>The bins of the node that the thread runs on, as if they began at <see cref="SizeClasses.CodeOf"/> 0.</summary>
    [ThreadStatic]
    public static HeapBin* HomeOrigin;

    /// <summary>The heap that these fields belong to.</summary>
    [ThreadStatic]
    public static ThreadHeap? Current;

    /// <summary>Makes the next operations of this thread find the heap directly.</summary>
    public static void Use(ThreadHeap heap, long gate)
    {
        Current = heap;
        Gate = gate;
        Bins = heap.Bins;
        HomeOrigin = heap.HomeOrigin;
    }
}
