using System.Buffers;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// One owner's view of the shared pools: each block comes from the node of the renting thread, and returns there. Disposal ends
/// renting; blocks in use stay valid, and the pools stay. Thread-safe.
/// </summary>
internal sealed class NodeMemoryPool(NumaMemoryPools pools) : MemoryPool<byte>
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
