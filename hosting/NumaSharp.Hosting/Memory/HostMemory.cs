using Microsoft.Extensions.Options;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Memory;

/// <summary>All pools of the container together: our own, and those of servers on other transports.</summary>
internal sealed class HostPools(NumaMemoryPools pools, CurrentNodePoolFactory servers, IOptions<NumaOptions> start)
{
    /// <summary>Sums a figure over a node's pools.</summary>
    public long SumOf(int nodeIndex, Func<NumaMemoryPool, long> read) =>
        read(pools[nodeIndex]) + (servers.Pools is { } others ? read(others[nodeIndex]) : 0);

    /// <summary>
    /// Each gives free memory of some pools back to the system, but for what is set to stay, and says how many bytes. Huge pages
    /// would go back to their own pool, where only huge pages are taken from: they stay.
    /// </summary>
    public IEnumerable<Func<long>> Trims =>
    [
        .. Enumerable.Range(0, HugePages.Are(pools.PageSize) ? 0 : pools.Count)
            .Select(index => (Func<long>)(() => pools[index].TrimUnchecked(start.Value.Memory.PoolSizePerNode))),
        .. Enumerable.Range(0, pools.Count)
            .Select(index => (Func<long>)(() => servers.Pools?[index].TrimUnchecked(keepBytes: 0) ?? 0)),
    ];

    /// <summary>Changes when they return memory, as <see cref="NumaMemoryPool.SetTrimming"/> does.</summary>
    public void SetTrimming(TimeSpan trimAfter, long keepPerNode)
    {
        pools.SetTrimming(trimAfter, start.Value.Memory.PoolKeeps(keepPerNode));
        servers.Pools?.SetTrimming(trimAfter, keepPerNode);
    }
}

/// <summary>The allocator if it has been resolved; reading metrics must not create it.</summary>
internal sealed class ResolvedAllocator
{
    private NumaAllocator? _value;

    public NumaAllocator? Value
    {
        get => Volatile.Read(ref _value);
        set => Volatile.Write(ref _value, value);
    }
}

/// <summary>Pages from pools of their own, which are taken whole.</summary>
internal static class HugePages
{
    // No architecture's ordinary pages are as large.
    private const nuint Least = 2 << 20;

    public static bool Are(nuint pageSize) => pageSize >= Least;

    /// <summary>For arrays, which the collector places: their pages are the system's own.</summary>
    public static INumaMemoryProvider Without(INumaMemoryProvider memory) =>
        Are(memory.PageSize) ? NumaPlatform.Default.Memory : memory;
}

/// <summary>The allocator's memory: the platform's, unless its pages are too large.</summary>
internal static class AllocatorMemory
{
    public static INumaMemoryProvider For(INumaMemoryProvider memory, NumaFallbacks fallbacks)
    {
        if (memory.PageSize <= NumaAllocator.MaxPageSize)
        {
            return memory;
        }

        var ordinary = NumaPlatform.Default.Memory;
        fallbacks.Report(new NumaFallback(
            FallbackCatalog.MemoryPages,
            $"The allocator takes memory of {ordinary.Name}: the pages of {memory.Name}, {memory.PageSize} bytes, are larger "
            + $"than its largest, {NumaAllocator.MaxPageSize} bytes. The pools use {memory.Name}."));
        return ordinary;
    }
}
