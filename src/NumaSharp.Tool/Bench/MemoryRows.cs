using System.Buffers;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
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
