using System.Buffers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Locality;

/// <summary>Measures how much is on the right node, ours beside what .NET has.</summary>
internal static class LocalityProbe
{
    // What Kestrel's pool has is of this size.
    private static readonly int[] s_blocks = [.. Enumerable.Repeat(4096, 500)];

    private static readonly int[] s_heapBlocks =
    [
        .. Enumerable.Repeat(100, 2000), .. Enumerable.Repeat(4096, 300), .. Enumerable.Repeat(20_000, 60),
        .. Enumerable.Repeat(262_144, 4),
    ];

    private static readonly int[] s_cpus = [.. NumaTopology.Instance.AllowedCpus];

    /// <summary>
    /// First malloc, whose memory is as new as the process; then the servers, before other arrays are in the managed heap.
    /// </summary>
    public static async Task<LocalityReport> MeasureAsync()
    {
        var malloc = BlockRounds.Measure(s_cpus, s_heapBlocks, Block.FromMalloc);
        var sockets = await ReadingServer.MeasureAsync(hasNuma: false, s_cpus);
        var numa = await ReadingServer.MeasureAsync(hasNuma: true, s_cpus);
        var shared = Measure(MemoryPool<byte>.Shared);
        var kestrel = Measure(CreateKestrelsPool());

        var plan = NumaPlan.Create(NumaTopology.Instance);
        var fallbacks = new NumaFallbacks();
        using var pools = new NumaMemoryPools(plan, new NumaMemoryPoolsOptions { Fallbacks = fallbacks });
        using var allocator = new NumaAllocator(plan, new NumaAllocatorOptions { Fallbacks = fallbacks });
        var pooled = BlockRounds.Measure(s_cpus, s_blocks, length => Block.From(pools.Current, length));
        var allocated = BlockRounds.Measure(s_cpus, s_heapBlocks, length => Block.From(allocator, length));
        return new LocalityReport(
            [
                new LocalityRow(LocalityRows.AtReader, numa.AtReader, sockets.AtReader),
                new LocalityRow(LocalityRows.AtPackets, numa.AtPackets, sockets.AtPackets),
                .. Compare(LocalityRows.Blocks, LocalityRows.SharedPool, pooled, shared),
                .. Compare(LocalityRows.Blocks, LocalityRows.KestrelsPool, pooled, kestrel),
                .. Compare(LocalityRows.Heap, LocalityRows.Malloc, allocated, malloc),
            ],
            [.. numa.Fallbacks, .. fallbacks.Current]);
    }

    private static LocalityShare[] Measure(MemoryPool<byte> pool) =>
        BlockRounds.Measure(s_cpus, s_blocks, length => Block.From(pool, length));

    private static IEnumerable<LocalityRow> Compare(string kind, string peer, LocalityShare[] ours, LocalityShare[] theirs) =>
        LocalityRows.Of(kind, peer).Zip(ours, theirs).Select(static row => new LocalityRow(row.First, row.Second, row.Third));

    // The application is neither started, for then its pool would give blocks up by and by, nor disposed of, for the pool is its.
    private static MemoryPool<byte> CreateKestrelsPool() =>
        WebApplication.CreateSlimBuilder().Build().Services.GetRequiredService<IMemoryPoolFactory<byte>>().Create();
}
