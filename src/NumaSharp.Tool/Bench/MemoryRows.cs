using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Bench;

/// <summary>Pools and the allocator on one thread, and the distance of memory.</summary>
internal static class MemoryRows
{
    private const string Unit = "ns/op";
    private const int Kilobyte = 1024;

    private static readonly (string Name, int Bytes)[] s_sizes = [("64B", 64), ("4K", 4 * Kilobyte), ("64K", 64 * Kilobyte)];

    public static IEnumerable<BenchRow> All =>
    [
        Row("pool single vs Kestrel", "Kestrel's pool", static context => Single<PoolSide.OfKestrel>(context, KestrelPool())),
        Row("pool nested x3 vs Kestrel", "Kestrel's pool", static context => Nested(context, KestrelPool())),
        Row("pool single vs MemoryPool", "MemoryPool.Shared", static context =>
            Single<PoolSide.OfDotnet>(context, MemoryPool<byte>.Shared)),
        .. s_sizes.Select(static size => Row(
            $"alloc {size.Name} vs NativeMemory", "NativeMemory", context => Allocate(context, (nuint)size.Bytes))),
        Row("nested 4K x3 vs ArrayPool", "ArrayPool.Shared", static context =>
        {
            using var ours = new NumaAllocator(NumaPlan.Create(context.Topology));
            return context.Contest.Compare(BenchLoop.Of(new NumaBlocks(ours)), BenchLoop.Of(default(SharedArrays)));
        }),
        new("memory own vs other node", "another node", "ns/read", IsPinned: true, Distance),
    ];

    private static BenchRow Row(string name, string peer, Func<BenchContext, BenchRound[]> measure) =>
        new(name, peer, Unit, IsPinned: true, measure);

    private static BenchRound[] Single<TPeer>(BenchContext context, MemoryPool<byte> theirs)
    {
        using var ours = new NumaMemoryPool(numaNodeId: context.Node.NodeId);
        return context.Contest.Compare(
            BenchLoop.Of(new PoolBlock<PoolSide.Ours>(ours)), BenchLoop.Of(new PoolBlock<TPeer>(theirs)));
    }

    private static BenchRound[] Nested(BenchContext context, MemoryPool<byte> theirs)
    {
        using var ours = new NumaMemoryPool(numaNodeId: context.Node.NodeId);
        return context.Contest.Compare(
            BenchLoop.Of(new PoolBlocks<PoolSide.Ours>(ours)), BenchLoop.Of(new PoolBlocks<PoolSide.OfKestrel>(theirs)));
    }

    private static BenchRound[] Allocate(BenchContext context, nuint size)
    {
        using var ours = new NumaAllocator(NumaPlan.Create(context.Topology));
        return context.Contest.Compare(BenchLoop.Of(new NumaBlock(ours, size)), BenchLoop.Of(new NativeBlock(size)));
    }

    // It is internal; the factory that Kestrel registers creates it. It lives as long as the process.
    private static MemoryPool<byte> KestrelPool()
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        return builder.Build().Services.GetRequiredService<IMemoryPoolFactory<byte>>().Create();
    }

    // What a CPU waits for memory of its own node, against that of the farthest: the matrix without the cells between.
    private static BenchRound[] Distance(BenchContext context)
    {
        var own = context.Node;
        var other = context.Topology.GetNodesByDistance(own.Id)
            .LastOrDefault(node => node.Id != own.Id && context.Topology.MemoryNodes.Contains(node.NodeId))
            ?? throw new NumaException("there is no other node with memory");
        var size = context.Lengths.MemoryBytes ?? MatrixPlan.Create(context.Topology, new MatrixRequest()).SizeBytes;

        // Both buffers exist at a time, and the limit of the process, such as its cgroup's, may be below what each node has free.
        if (GC.GetGCMemoryInfo().TotalAvailableMemoryBytes < size * 5 / 2)
        {
            throw new NumaException("this process may not use enough memory for a buffer on each of two nodes");
        }

        using var near = CreateBuffer(context, own, size);
        using var far = CreateBuffer(context, other, size);
        return context.Contest.Alternate(() => Latency(context, near), () => Latency(context, far));
    }

    private static NodeBuffer CreateBuffer(BenchContext context, NumaNode node, long size)
    {
        if (NodeBufferChecks.FindLack(context.Platform, node, size) is not null)
        {
            throw new NumaException(string.Create(
                CultureInfo.InvariantCulture, $"node {node.NodeId} has too little free memory"));
        }

        var (buffer, column) = NodeBuffer.CreateAsync(context.Platform, context.Topology, node, size).GetAwaiter().GetResult();
        return buffer ?? throw new NumaException(string.Create(
            CultureInfo.InvariantCulture, $"node {node.NodeId}: {column.Reason}"));
    }

    private static double Latency(BenchContext context, NodeBuffer buffer) =>
        new CellMeasurement(TimeProvider.System, repeat: 1).Measure(buffer, context.Cancellation).LatencyNanoseconds;
}

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
