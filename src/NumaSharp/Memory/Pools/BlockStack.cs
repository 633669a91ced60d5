using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>Free blocks of one size class, last in, first out: the warmest block is rented next.</summary>
internal struct BlockStack
{
    private static readonly NumaMemoryBlock[] s_none = new NumaMemoryBlock[1];

    // One longer than its capacity, so that the slot at _count always exists, and is null where there is no room.
    private NumaMemoryBlock[] _blocks;
    private int _count;

    public BlockStack(int capacity) => _blocks = capacity == 0 ? s_none : new NumaMemoryBlock[capacity + 1];

    public readonly int Count => Volatile.Read(in _count);

    public readonly int Capacity => _blocks.Length - 1;

    public readonly ReadOnlySpan<NumaMemoryBlock> Items => _blocks.AsSpan(0, _count);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPop(out NumaMemoryBlock block)
    {
        var top = _count - 1;
        if (top < 0)
        {
            block = null!;
            return false;
        }

        _count = top;
        block = SlotAt(top);
        return true;
    }

    // Popped references stay in the array, so a block that comes back to its slot costs no GC write barrier. They are cleared
    // after a collection: ForgetPopped.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(NumaMemoryBlock block)
    {
        var top = _count;
        if (top == Capacity)
        {
            return false;
        }

        if (!ReferenceEquals(_blocks[top], block))
        {
            _blocks[top] = block;
        }

        _count = top + 1;
        return true;
    }

    /// <summary>Puts the block that was popped last back on top: its reference is still in the slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPushBack(NumaMemoryBlock block)
    {
        var top = _count;
        if (!ReferenceEquals(SlotAt(top), block))
        {
            return false;
        }

        _count = top + 1;
        return true;
    }

    /// <summary>Adds blocks on top, making room.</summary>
    public void PushAll(ReadOnlySpan<NumaMemoryBlock> blocks)
    {
        if (Capacity - _count < blocks.Length)
        {
            Array.Resize(ref _blocks, Math.Max(Capacity * 2, _count + blocks.Length) + 1);
        }

        blocks.CopyTo(_blocks.AsSpan(_count));
        _count += blocks.Length;
    }

    /// <summary>Moves up to <paramref name="count"/> blocks from the top of this stack to another one that has room.</summary>
    public void MoveTopTo(ref BlockStack other, int count)
    {
        var moved = Math.Min(count, _count);
        other.PushAll(_blocks.AsSpan(_count - moved, moved));
        _count -= moved;
    }

    /// <summary>Adds a block on top, making room.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Push(NumaMemoryBlock block)
    {
        if (!TryPush(block))
        {
            PushAll([block]);
        }
    }

    /// <summary>Drops the blocks that have lain longest.</summary>
    public void DropBottom(int count)
    {
        _blocks.AsSpan(count, _count - count).CopyTo(_blocks);
        _count -= count;
    }

    /// <summary>Clears references to popped blocks, which only their users may keep alive.</summary>
    public readonly void ForgetPopped() => _blocks.AsSpan(_count).Clear();

    /// <summary>Forgets blocks, and keeps the room.</summary>
    public void Empty()
    {
        _count = 0;
        ForgetPopped();
    }

    /// <summary>Forgets blocks and room.</summary>
    public void Clear()
    {
        _count = 0;
        _blocks = s_none;
    }

    // 0 to Capacity: _count is never anything else.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly NumaMemoryBlock SlotAt(int index) =>
        Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_blocks), (nint)(uint)index);
}
