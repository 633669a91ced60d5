namespace NumaSharp.Core.Memory.Allocation;

/// <summary>Blocks of one size side by side, cut off as they are needed. Guarded by its size's lock.</summary>
internal sealed class AllocatorRun
{
    private const int BitsShift = 6;

    private readonly nint _first;

    private ulong[]? _inUse;

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

    // Which blocks are in use: known in the hardened mode only. Thread-safe.

    /// <summary>Notes that a block is in use.</summary>
    /// <returns>False when no free block starts there.</returns>
    public bool TryTake(nint address) =>
        BitOf(address, out var word) is var bit and not 0 && (Interlocked.Or(ref Words()[word], bit) & bit) == 0;

    /// <summary>Notes that a block is free.</summary>
    /// <returns>False when no block in use starts there.</returns>
    public bool TryPut(nint address) =>
        BitOf(address, out var word) is var bit and not 0 && (Interlocked.And(ref Words()[word], ~bit) & bit) != 0;

    public bool IsInUse(nint address) =>
        BitOf(address, out var word) is var bit and not 0 && (Volatile.Read(ref Words()[word]) & bit) != 0;

    /// <summary>The block that starts at an address, as a word and a bit of it; no bit where none does.</summary>
    private ulong BitOf(nint address, out int word)
    {
        var (index, rest) = Math.DivRem(address - _first, Central.Stride);
        word = (int)index >> BitsShift;
        return rest == 0 && index >= 0 && index < Carved && !IsReleased ? 1UL << (int)index : 0;
    }

    private ulong[] Words()
    {
        var words = Volatile.Read(ref _inUse);
        if (words is not null)
        {
            return words;
        }

        words = new ulong[(Capacity >> BitsShift) + 1];
        return Interlocked.CompareExchange(ref _inUse, words, null) ?? words;
    }
}
