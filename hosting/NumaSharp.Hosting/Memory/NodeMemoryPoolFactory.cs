using System.Buffers;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// The source of buffers for servers on other transports. Nothing is created before the first request, which never comes with our
/// own transport.
/// </summary>
internal sealed class NodeMemoryPoolFactory(Func<NumaMemoryPools> create) : IMemoryPoolFactory<byte>, IDisposable
{
    /// <summary>The minimum block size that Kestrel's transports and protocols rely on.</summary>
    public const int MinBlockSize = 4096;

    private readonly Lazy<NumaMemoryPools> _pools = new(create);

    /// <summary>The pools, once one has been requested.</summary>
    public NumaMemoryPools? Pools => _pools.IsValueCreated ? _pools.Value : null;

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new NodeMemoryPool(_pools.Value);

    public void Dispose() => Pools?.Dispose();
}
