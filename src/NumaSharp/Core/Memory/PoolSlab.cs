namespace NumaSharp.Core.Memory;

/// <summary>
/// A reservation that is committed chunk by chunk and cut into blocks of one size class. Guarded by its pool's lock.
/// </summary>
internal sealed class PoolSlab
{
    private readonly nuint _stride;

    public PoolSlab(nint address, nuint size, nuint stride)
    {
        Address = address;
        Size = size;
        _stride = stride;
        Capacity = (int)(size / stride);
    }

    public nint Address { get; }

    public nuint Size { get; }

    public nuint CommittedBytes { get; private set; }

    public int Capacity { get; }

    public int Carved { get; private set; }

    public int Remaining => Capacity - Carved;

    /// <summary>Counted anew by each trim.</summary>
    public int FreeBlocks { get; set; }

    /// <summary>Where its next block goes while a stack is sorted by slabs.</summary>
    public int NextSorted { get; set; }

    /// <summary>Whether its blocks are no longer rented: it is about to be released.</summary>
    public bool IsRetired { get; set; }

    /// <summary>How many bytes must be committed for the next <paramref name="count"/> blocks.</summary>
    public nuint BytesFor(int count, NodeMemory memory)
    {
        var end = memory.RoundToPages((nuint)(Carved + count) * _stride);
        return Math.Min(end, Size) - CommittedBytes;
    }

    public nint NextUncommitted => Address + (nint)CommittedBytes;

    /// <summary>Takes the next block after its bytes have been committed.</summary>
    public nint Carve() => Address + (nint)((nuint)Carved++ * _stride);

    public void OnCommitted(nuint bytes) => CommittedBytes += bytes;
}
