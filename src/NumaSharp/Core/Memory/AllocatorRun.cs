using System.Numerics;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Blocks of one size side by side. Which are in use is a bitmap outside the blocks: what a program writes after freeing
/// cannot damage the allocator, and a second free is always seen. Guarded by its heap's lock.
/// </summary>
internal sealed class AllocatorRun
{
    private const int BitsPerWord = 64;
    private readonly ulong[] _used;
    private int _hint;

    public AllocatorRun(AllocatorHeap heap, AllocatorChunk chunk, nint start, nuint size)
    {
        Heap = heap;
        Chunk = chunk;
        Start = start;
        Capacity = (int)(size / (nuint)heap.BlockSize);
        Free = Capacity;
        _used = new ulong[(Capacity + BitsPerWord - 1) / BitsPerWord];
        if (Capacity % BitsPerWord != 0)
        {
            // The bits behind the last block are never free.
            _used[^1] = ulong.MaxValue << (Capacity % BitsPerWord);
        }
    }

    public AllocatorHeap Heap { get; }

    public AllocatorChunk Chunk { get; }

    public nint Start { get; }

    public int Capacity { get; }

    public int Free { get; private set; }

    public bool IsEmpty => Free == Capacity;

    /// <summary>Whether the run was given back: what points into it then was freed before.</summary>
    public bool IsReleased { get; set; }

    public AllocatorRun? Previous { get; set; }

    public AllocatorRun? Next { get; set; }

    /// <summary>Takes the free block with the lowest address; there must be one.</summary>
    public nint Take()
    {
        while (_used[_hint] == ulong.MaxValue)
        {
            _hint++;
        }

        var bit = BitOperations.TrailingZeroCount(~_used[_hint]);
        _used[_hint] |= 1UL << bit;
        Free--;
        return Start + (((_hint * BitsPerWord) + bit) * (nint)Heap.BlockSize);
    }

    /// <summary>Whether a block that is in use starts at the address.</summary>
    public bool IsInUse(nint address)
    {
        var (index, rest) = Math.DivRem(address - Start, Heap.BlockSize);
        return rest == 0
            && !IsReleased
            && index < Capacity
            && (_used[(int)index / BitsPerWord] & (1UL << ((int)index % BitsPerWord))) != 0;
    }

    /// <summary>Puts back a block that is in use.</summary>
    public void Put(nint address)
    {
        var index = (int)((address - Start) / Heap.BlockSize);
        _used[index / BitsPerWord] &= ~(1UL << (index % BitsPerWord));
        _hint = Math.Min(_hint, index / BitsPerWord);
        Free++;
    }
}
