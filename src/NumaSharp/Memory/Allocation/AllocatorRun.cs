namespace NumaSharp.Core.Memory.Allocation;

/// <summary>Blocks of one size side by side, cut off as they are needed. Guarded by its size's lock.</summary>
internal sealed partial class AllocatorRun
{
    private readonly nint _first;

    public AllocatorRun(SizeCentral central, AllocatorChunk chunk, nint start, int size)
    {
        Central = central;
        Chunk = chunk;
        Start = start;
        Capacity = size / central.Stride;
        _first = start + SizeClasses.OffsetOf(central.SizeClass, start, size, Capacity);
    }

    public SizeCentral Central { get; }

    public AllocatorChunk Chunk { get; }

    public nint Start { get; }

    public int Capacity { get; }

    /// <summary>Whether it fills its chunk.</summary>
    public bool IsLarge => Central.BlockSize > AllocatorChunk.LargestInSmallRun;

    /// <summary>How many blocks have been cut off.</summary>
    public int Carved { get; private set; }

    public int Remaining => Capacity - Carved;

    /// <summary>How many of those are free in the depot; recounted by each trim.</summary>
    public int Free { get; set; }

    public bool IsReleased { get; set; }

    /// <summary>
    /// Cuts off blocks; the first slot gets the highest address, so that a stack gives them in ascending order.
    /// </summary>
    public unsafe void Carve(nint* slots, int count)
    {
        var next = _first + ((nint)(Carved + count) * Central.Stride);
        Carved += count;
        for (var i = 0; i < count; i++)
        {
            next -= Central.Stride;
            slots[i] = next;
        }
    }

    /// <summary>Whether a block that has been cut off starts at the address.</summary>
    public bool IsBlock(nint address) => BitOf(address, out _) != 0;
}
