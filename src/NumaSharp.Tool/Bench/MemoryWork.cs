using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Bench;

/// <summary>
/// An operation. A struct per side: each side gets a loop of its own, whose calls meet no type of the other's.
/// </summary>
internal interface IBenchWork
{
    void Do();
}

/// <summary>Loops on the calling thread, in its CPU time.</summary>
internal static class BenchLoop
{
    public static BenchSide Of<TWork>(TWork work)
        where TWork : struct, IBenchWork
    {
        return new BenchSide(Measure);

        double Measure(int count)
        {
            var start = CpuClock.OfThread.Read();
            Repeat(work, count);
            return CpuClock.OfThread.Read() - start;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Repeat<TWork>(TWork work, int count)
        where TWork : struct, IBenchWork
    {
        for (var i = 0; i < count; i++)
        {
            work.Do();
        }
    }
}

/// <summary>The pools, as arguments of types.</summary>
internal static class PoolSide
{
    public const int BlockBytes = 4096;

    public readonly struct Ours;

    public readonly struct OfKestrel;

    public readonly struct OfDotnet;
}

/// <summary>A block of a pool, rented and returned.</summary>
internal readonly struct PoolBlock<TSide>(MemoryPool<byte> pool) : IBenchWork
{
    public void Do() => Return(Rent(pool));

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static IMemoryOwner<byte> Rent(MemoryPool<byte> pool) => pool.Rent(PoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Return(IMemoryOwner<byte> block) => block.Dispose();
}

/// <summary>Three blocks, returned in the reverse order.</summary>
internal readonly struct PoolBlocks<TSide>(MemoryPool<byte> pool) : IBenchWork
{
    public void Do()
    {
        var first = PoolBlock<TSide>.Rent(pool);
        var second = PoolBlock<TSide>.Rent(pool);
        var third = PoolBlock<TSide>.Rent(pool);
        PoolBlock<TSide>.Return(third);
        PoolBlock<TSide>.Return(second);
        PoolBlock<TSide>.Return(first);
    }
}

/// <summary>A block of our allocator, allocated and freed.</summary>
internal readonly unsafe struct NumaBlock(NumaAllocator allocator, nuint size) : IBenchWork
{
    public void Do() => Free(allocator, Allocate(allocator, size));

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void* Allocate(NumaAllocator allocator, nuint size) => allocator.Allocate(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Free(NumaAllocator allocator, void* block) => allocator.Free(block);
}

/// <summary>The same of the C library's malloc.</summary>
internal readonly unsafe struct NativeBlock(nuint size) : IBenchWork
{
    public void Do() => Free(Allocate(size));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void* Allocate(nuint size) => NativeMemory.Alloc(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Free(void* block) => NativeMemory.Free(block);
}

/// <summary>Three blocks of our allocator, freed in the reverse order.</summary>
internal readonly unsafe struct NumaBlocks(NumaAllocator allocator) : IBenchWork
{
    public void Do()
    {
        var first = NumaBlock.Allocate(allocator, PoolSide.BlockBytes);
        var second = NumaBlock.Allocate(allocator, PoolSide.BlockBytes);
        var third = NumaBlock.Allocate(allocator, PoolSide.BlockBytes);
        NumaBlock.Free(allocator, third);
        NumaBlock.Free(allocator, second);
        NumaBlock.Free(allocator, first);
    }
}

/// <summary>Three arrays of the pool that .NET shares.</summary>
internal readonly struct SharedArrays : IBenchWork
{
    public void Do()
    {
        var first = Rent();
        var second = Rent();
        var third = Rent();
        Return(third);
        Return(second);
        Return(first);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte[] Rent() => ArrayPool<byte>.Shared.Rent(PoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Return(byte[] array) => ArrayPool<byte>.Shared.Return(array);
}
