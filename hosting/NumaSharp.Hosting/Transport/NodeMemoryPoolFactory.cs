using System.Buffers;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// Where a server that is not ours gets its buffers. Nothing is made before the first one asks, which beside our own transport
/// none does.
/// </summary>
internal sealed class NodeMemoryPoolFactory(Func<NumaMemoryPools> create) : IMemoryPoolFactory<byte>, IDisposable
{
    /// <summary>The least block that Kestrel's transports and protocols count on.</summary>
    public const int MinBlockSize = 4096;

    private readonly Lazy<NumaMemoryPools> _pools = new(create);

    /// <summary>The pools, once somebody has asked for one.</summary>
    public NumaMemoryPools? Pools => _pools.IsValueCreated ? _pools.Value : null;

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new NodeMemoryPool(_pools.Value);

    public void Dispose() => Pools?.Dispose();
}
