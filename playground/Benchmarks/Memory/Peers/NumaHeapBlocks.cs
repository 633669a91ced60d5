using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>Ours, as a loop has it: the thread's heap is found once.</summary>
internal readonly unsafe ref struct NumaHeapBlocks : IBlocks<NumaHeapBlocks>
{
    private readonly NumaHeap _heap;

    private NumaHeapBlocks(NumaHeap heap) => _heap = heap;

    public static string Name => nameof(NumaHeap);

    public static NumaHeapBlocks Open() => new(NumaBlocks.OpenHeap());

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Allocate(nuint size) => _heap.Allocate(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Free(void* block) => _heap.Free(block);
}
