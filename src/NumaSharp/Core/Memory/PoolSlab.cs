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

    /// <summary>How many bytes must be committed for the next <paramref name="count"/> blocks, in units of some size.</summary>
    public nuint BytesFor(int count, nuint unit)
    {
        var end = (((nuint)(Carved + count) * _stride) + unit - 1) & ~(unit - 1);
        return Math.Max(Math.Min(end, Size), CommittedBytes) - CommittedBytes;
    }

    public nint NextUncommitted => Address + (nint)CommittedBytes;

    /// <summary>Takes the next blocks, and the bytes that are to be committed for them.</summary>
    /// <returns>The first block.</returns>
    public nint Carve(int count, nuint bytes)
    {
        var first = AddressOfNext;
        Carved += count;
        CommittedBytes += bytes;
        return first;
    }

    /// <summary>The bytes were not committed: gives back what was taken, unless more was taken since.</summary>
    public void Uncarve(nint first, int count, nuint bytes)
    {
        if (first + (nint)((nuint)count * _stride) == AddressOfNext)
        {
            Carved -= count;
            CommittedBytes -= bytes;
        }
    }

    private nint AddressOfNext => Address + (nint)((nuint)Carved * _stride);
}
