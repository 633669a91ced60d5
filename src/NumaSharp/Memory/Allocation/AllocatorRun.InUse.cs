namespace NumaSharp.Core.Memory.Allocation;

/// <content>Which blocks are in use: known in the hardened mode only. Thread-safe.</content>
internal sealed partial class AllocatorRun
{
    private const int BitsShift = 6;

    private ulong[]? _inUse;

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
