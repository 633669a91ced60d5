using System.Buffers;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>A pool of one block; each type argument makes a pool and an owner of types that no other has.</summary>
internal sealed class PlainPool<TMarker> : MemoryPool<byte>
{
    private readonly Block _block = new();

    public override int MaxBufferSize => IPoolSide.BlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) => _block;

    protected override void Dispose(bool disposing)
    {
    }

    private sealed class Block : IMemoryOwner<byte>
    {
        private readonly byte[] _array = new byte[IPoolSide.BlockBytes];

        public Memory<byte> Memory => _array;

        public void Dispose()
        {
        }
    }
}
