using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>
/// A block of native memory of one node, rented from a <see cref="NumaMemoryPool"/>: 64-byte aligned, never moved by the
/// GC. <see cref="Dispose()"/> returns it, from any thread; block and owner object are then rented again, so nothing of it
/// (<see cref="Memory"/>, spans, <see cref="Pointer"/>) may be used afterwards.
/// </summary>
/// <remarks>
/// A second return, and use after return, throw <see cref="ObjectDisposedException"/> until the block is rented again. A
/// block in use is used by one owner; renting and returning are thread-safe.
/// </remarks>
public sealed unsafe class NumaMemoryBlock : MemoryManager<byte>, IMemoryOwner<byte>, IDisposable
{
    private const int Free = 0;
    private const int Rented = 1;

    private readonly NumaMemoryPool _pool;
    private readonly byte* _pointer;
    private int _state;

    internal NumaMemoryBlock(NumaMemoryPool pool, nint address, int length, int classIndex, PoolSlab? slab)
    {
        _pool = pool;
        _pointer = (byte*)address;
        Length = length;
        ClassIndex = classIndex;
        Slab = slab;
    }

    /// <summary>The kernel id of the node that the block's pool is for.</summary>
    public int NodeId => _pool.NodeId;

    /// <summary>The size in bytes: at least what was asked for.</summary>
    public int Length { get; }

    /// <summary>The start. Valid until the block is returned.</summary>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    public byte* Pointer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            ThrowIfNotRented();
            return _pointer;
        }
    }

    /// <summary>The block as memory, valid until the block is returned.</summary>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    public override Memory<byte> Memory
    {
        get
        {
            ThrowIfNotRented();
            return CreateMemory(Length);
        }
    }

    // The class of a block with a mapping of its own is -1, and such a block has no slab.
    internal int ClassIndex { get; }

    internal PoolSlab? Slab { get; }

    internal bool IsDedicated => ClassIndex < 0;

    internal nint Address => (nint)_pointer;

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    public override Span<byte> GetSpan()
    {
        ThrowIfNotRented();
        return new Span<byte>(_pointer, Length);
    }

    /// <summary>Gives a pointer into the block. Nothing has to be kept from moving; the block must stay rented.</summary>
    /// <param name="elementIndex">The offset in bytes, 0 to <see cref="Length"/>.</param>
    /// <returns>The pointer; disposing it does nothing.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The offset is outside the block.</exception>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)Length, nameof(elementIndex));
        ThrowIfNotRented();
        return new MemoryHandle(_pointer + elementIndex);
    }

    /// <summary>Does nothing: native memory does not move.</summary>
    public override void Unpin()
    {
    }

    /// <summary>Returns the block to its pool, from any thread, also after the pool was disposed.</summary>
    /// <exception cref="ObjectDisposedException">The block has been returned already.</exception>
    // Hides MemoryManager's: that one also calls GC.SuppressFinalize, a call into the runtime at each return.
    public void Dispose()
    {
        OnReturned();
        _pool.Return(this);
    }

    internal bool IsOrdinaryOf(NumaMemoryPool pool) => ClassIndex == 0 && ReferenceEquals(_pool, pool);

    /// <summary>The owner's half of a return; the caller has the block's pool take it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void OnReturned()
    {
        ThrowIfNotRented();
        _state = Free;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void OnRented()
    {
        // Two threads that return one block at the same time can both get past the check of Dispose, which has no atomic
        // operation; the block is then free twice, and this finds out.
        if (_state != Free)
        {
            ThrowRentedTwice();
        }

        _state = Rented;
    }

    internal void Clear() => new Span<byte>(_pointer, Length).Clear();

    /// <summary>The part of an array that the block is, where <see cref="NumaMemoryPoolOptions.ArrayBacked"/>.</summary>
    /// <param name="segment">The part, valid until the block is returned; what lies around it belongs to others.</param>
    /// <returns>Whether it is part of one.</returns>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    protected override bool TryGetArray(out ArraySegment<byte> segment)
    {
        segment = default;
        if (!_pool.IsArrayBacked)
        {
            return false;
        }

        // No reference to the array is kept: stacks of blocks keep those that they have let go of, for a while.
        ThrowIfNotRented();
        var array = ArrayMemory.ArrayAt(Slab?.Address ?? Address);
        segment = new ArraySegment<byte>(array, (int)(Address - ArrayMemory.StartOf(array)), Length);
        return true;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Dispose();
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ThrowIfNotRented()
    {
        if (_state != Rented)
        {
            ThrowNotRented();
        }
    }

    private void ThrowNotRented() => throw new ObjectDisposedException(
        nameof(NumaMemoryBlock), $"This block of the {_pool} has been returned: it may not be used or returned again.");

    private void ThrowRentedTwice() => throw new InvalidOperationException(
        $"A block of the {_pool} was returned by two threads at once and is free twice. Its owner returns it twice.");
}
