using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Transport;

namespace NumaSharp.Hosting.Registration;

/// <summary>All pools of the container together: our own, and those of servers on other transports.</summary>
internal sealed class HostPools(NumaMemoryPools pools, NodeMemoryPoolFactory servers, IOptions<NumaOptions> start)
{
    /// <summary>Sums a figure over a node's pools.</summary>
    public long SumOf(int nodeIndex, Func<NumaMemoryPool, long> read) =>
        read(pools[nodeIndex]) + (servers.Pools is { } others ? read(others[nodeIndex]) : 0);

    /// <summary>Changes when they return memory, as <see cref="NumaMemoryPool.SetTrimming"/> does.</summary>
    public void SetTrimming(TimeSpan trimAfter, long keepPerNode)
    {
        pools.SetTrimming(trimAfter, start.Value.Memory.PoolKeeps(keepPerNode));
        servers.Pools?.SetTrimming(trimAfter, keepPerNode);
    }
}
