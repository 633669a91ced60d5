using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe;

/// <summary>Looks at everything that a host's placement is made of.</summary>
internal static class Probe
{
    public static async Task<ProbeReport> ReportAsync(IServiceProvider services)
    {
        var topology = services.GetRequiredService<NumaTopology>();
        var pools = services.GetRequiredService<NumaMemoryPools>();
        var memory = services.GetRequiredService<NumaPlatform>().Memory;
        var health = await services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        return new ProbeReport
        {
            AllowedCpus = topology.AllowedCpus.ToString(),
            MemoryNodes = topology.MemoryNodes.ToString(),
            Warnings = topology.Warnings,
            CpusByNode = topology.Nodes.ToDictionary(static node => node.NodeId, static node => node.Cpus.ToString()),
            Plan = services.GetRequiredService<NumaPlan>().ToString(),
            Pools = [.. Enumerable.Range(0, pools.Count).Select(index => Look(pools[index], memory))],
            BindErrors = [.. Enumerable.Range(0, 4).Select(node => BindTo(memory, node))],
            QueryError = Query(pools[0], memory),
            Fallbacks = services.GetRequiredService<NumaFallbacks>().Current,
            ManagedHeap = health.Entries["numa_topology"].Data.GetValueOrDefault("managedHeap") as string,
            Health = health.Entries.ToDictionary(static entry => entry.Key, static entry => entry.Value.Status.ToString()),
        };
    }

    private static unsafe ProbePool Look(NumaMemoryPool pool, INumaMemoryProvider memory)
    {
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);

        // Advice of its own makes the page a mapping of its own: the kernel joins neighbours that have no policy.
        var page = (nint)block.Pointer & ~((nint)memory.PageSize - 1);
        memory.Advise(page, memory.PageSize, NumaMemoryAdvice.HugePages).ThrowIfFailed("madvise");
        var mapping = NumaMapping.Of(page);
        return new ProbePool(
            pool.NodeId.Value, pool.MemoryNodeId.Value, mapping.Policy, CpuSet.FromIds(mapping.PagesByNode.Keys).ToString());
    }

    private static string BindTo(INumaMemoryProvider memory, int node)
    {
        memory.Reserve(memory.PageSize, memory.PageSize, out var address).ThrowIfFailed("mmap");
        var result = memory.Bind(address, memory.PageSize, NumaPlacement.Bind(new(node)));
        memory.Release(address, memory.PageSize).ThrowIfFailed("munmap");
        return NameOf(result);
    }

    private static unsafe string Query(NumaMemoryPool pool, INumaMemoryProvider memory)
    {
        using var block = pool.RentBlock();
        block.GetSpan()[0] = 1;
        return NameOf(memory.QueryNode((nint)block.Pointer, out _));
    }

    private static string NameOf(NumaResult result) => result.Succeeded ? "0" : result.ErrorName;
}
