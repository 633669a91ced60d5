namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Which allocator the calling thread used last, and its heap there: what the fast path needs, in one thread-static block of
/// plain values, which the runtime reads in line.
/// </summary>
internal static unsafe class HeapSlots
{
    public static readonly SmallNumbers Ids = new();

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

    [ThreadStatic]
    private static ThreadHeap?[]? t_heaps;

    public static ThreadHeap? Find(int slot, long gate)
    {
        var heaps = t_heaps;
        return heaps is not null && slot < heaps.Length && heaps[slot] is { } heap && heap.Gate == gate ? heap : null;
    }

    public static void Keep(int slot, ThreadHeap heap)
    {
        var heaps = t_heaps ?? [];
        if (slot >= heaps.Length)
        {
            Array.Resize(ref heaps, Math.Max(slot + 1, heaps.Length * 2));
        }

        heaps[slot] = heap;
        t_heaps = heaps;
    }

    /// <summary>Makes the next operations of this thread find the heap directly.</summary>
    public static void Use(ThreadHeap heap, long gate)
    {
        Current = heap;
        Gate = gate;
        Bins = heap.Bins;
        HomeOrigin = heap.HomeOrigin;
    }
}
