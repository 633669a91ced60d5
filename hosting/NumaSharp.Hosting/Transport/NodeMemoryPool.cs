using System.Buffers;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// What one owner has of the pools that all share: each block comes from the node that the renting thread runs on, and goes
/// back there. Disposing it ends renting; blocks in use stay valid, and the pools stay. Thread-safe.
/// </summary>
internal sealed class NodeMemoryPool(NumaMemoryPools pools) : MemoryPool<byte>
{
    private const int LargestPooled = 1024 * 1024;

    private bool _isDisposed;

    // Beyond, a block is an array of its own: pipes have better ones, which are used again.
    public override int MaxBufferSize => LargestPooled;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, LargestPooled);
        return pools.Current.RentBlock(minBufferSize);
    }

    protected override void Dispose(bool disposing) => Volatile.Write(ref _isDisposed, true);
}
