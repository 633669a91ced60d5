using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>Ours, as an application has it: one allocator for this machine.</summary>
internal readonly unsafe struct NumaBlocks : IBlocks<NumaBlocks>
{
    private static readonly NumaAllocator s_allocator = new(NumaPlan.Create(NumaTopology.Instance));

    public static string Name => nameof(NumaAllocator);

    public static NumaBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Allocate(nuint size) => s_allocator.Allocate(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Free(void* block) => s_allocator.Free(block);

    public static NumaHeap OpenHeap() => s_allocator.OpenHeap();

    /// <summary>Gives free memory back to the system.</summary>
    public static void Trim() => s_allocator.Trim();
}
