using System.Buffers;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// One owner's view of the shared pools: each block comes from the node of the renting thread, and returns there. Disposal ends
/// renting; blocks in use stay valid, and the pools stay. Thread-safe.
/// </summary>
internal sealed class CurrentNodePool(NumaMemoryPools pools) : MemoryPool<byte>
{
    private const int LargestPooled = 1024 * 1024;

    private bool _isDisposed;

    // Larger blocks would be separate arrays: pipes have better ones, which they reuse.
    public override int MaxBufferSize => LargestPooled;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, LargestPooled);
        return pools.Current.RentBlock(minBufferSize);
    }

    protected override void Dispose(bool disposing) => Volatile.Write(ref _isDisposed, true);
}

/// <summary>
/// The source of buffers for servers on other transports. Nothing is created before the first request, which never comes with our
/// own transport.
/// </summary>
internal sealed class CurrentNodePoolFactory(Func<NumaMemoryPools> create) : IMemoryPoolFactory<byte>, IDisposable
{
    /// <summary>The minimum block size that Kestrel's transports and protocols rely on.</summary>
    public const int MinBlockSize = 4096;

    private readonly Lazy<NumaMemoryPools> _pools = new(create);

    /// <summary>The pools, once one has been requested.</summary>
    public NumaMemoryPools? Pools => _pools.IsValueCreated ? _pools.Value : null;

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new CurrentNodePool(_pools.Value);

    public void Dispose() => Pools?.Dispose();
}
