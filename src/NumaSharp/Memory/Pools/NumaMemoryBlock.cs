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

    // Of the ordinary size, and not cleared on return: the fast path returns it.
    private const int PlainRented = 1;
    private const int OtherRented = 2;

    private readonly NumaMemoryPool _pool;
    private readonly byte* _pointer;

    // Its state while it is rented; free for good after the disposal of its pool.
    private int _rented;
    private int _state;

    internal NumaMemoryBlock(NumaMemoryPool pool, nint address, int length, int classIndex, PoolSlab slab)
    {
        _pool = pool;
        _pointer = (byte*)address;
        Length = length;
        ClassIndex = classIndex;
        Slab = slab;
        _rented = classIndex == 0 && !pool.ClearsBlocks && !pool.IsGuarded ? PlainRented : OtherRented;
    }

    /// <summary>The kernel id of the node that the block's pool is for.</summary>
    public NumaNodeId NodeId => _pool.NodeId;

    /// <summary>The size in bytes: at least what was requested.</summary>
    public int Length { get; }

    /// <summary>The start. Valid until the block is returned, or nothing refers to this object any more.</summary>
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

    // The class of a block with a mapping of its own is -1.
    internal int ClassIndex { get; }

    internal PoolSlab Slab { get; }

    /// <summary>Its typed views, which are kept: they belong to the renter of the block, too.</summary>
    internal ITypedBlock? Typed { get; set; }

    internal bool IsDedicated => ClassIndex < 0;

    internal nint Address => (nint)_pointer;

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    public override Span<byte> GetSpan()
    {
        ThrowIfNotRented();
        return new Span<byte>(_pointer, Length);
    }

    /// <summary>
    /// Gets a pointer into the block. Native memory needs no pinning; the block must stay rented. The handle keeps it from
    /// counting as abandoned, as the owner itself does.
    /// </summary>
    /// <param name="elementIndex">The offset in bytes, 0 to <see cref="Length"/>.</param>
    /// <returns>The pointer; disposing it does nothing.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The offset is outside the block.</exception>
    /// <exception cref="ObjectDisposedException">The block is not rented.</exception>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)Length, nameof(elementIndex));
        ThrowIfNotRented();
        return new MemoryHandle(_pointer + elementIndex, pinnable: this);
    }

    /// <summary>Does nothing: native memory does not move.</summary>
    public override void Unpin()
    {
    }

    /// <summary>Returns the block to its pool, from any thread, also after the pool was disposed.</summary>
    /// <exception cref="ObjectDisposedException">The block has been returned already.</exception>
    // Hides MemoryManager's, which also calls GC.SuppressFinalize, a call into the runtime at each return.
    public void Dispose()
    {
        // As in renting: the call comes first, so that no other value must be kept across it.
        var cache = PoolThreadCache.Last;
        if (cache is null || _state != PlainRented)
        {
            DisposeSlow();
            return;
        }

        _state = Free;
        Volatile.Write(ref cache.Busy, true);
        var isBack = ReferenceEquals(Volatile.Read(ref cache.Open), _pool) && cache.Default.TryPushBack(this);
        if (!isBack)
        {
            cache.PushElsewhere(_pool, this);
            return;
        }

        Volatile.Write(ref cache.Busy, false);
    }

    /// <summary>
    /// Returns the block as <see cref="Dispose()"/> does, but without its pages if it is large: for one that was needed for a
    /// burst, with memory that is more likely to be needed elsewhere than here.
    /// </summary>
    internal void DisposeCold()
    {
        ThrowIfNotRented();
        _pool.ResetPages(this);
        Dispose();
    }

    internal bool IsPlainOf(NumaMemoryPool pool) => _rented == PlainRented && ReferenceEquals(_pool, pool);

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
        ThrowIfRented();
        _state = _rented;
    }

    /// <summary>As <see cref="OnRented"/>, for a block that is known to be ordinary, of a pool that clears none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void OnPlainRented()
    {
        ThrowIfRented();
        _state = PlainRented;
    }

    /// <summary>
    /// Called when it is back after the disposal of its pool, with the pool's lock held: it is not rented again.
    /// </summary>
    /// <returns>False the second time.</returns>
    internal bool TryEnd()
    {
        var isFirst = _rented != Free;
        _rented = Free;
        return isFirst;
    }

    internal void ThrowNotRented() => throw new ObjectDisposedException(
        nameof(NumaMemoryBlock),
        $"This block of the {_pool} has been returned: it may not be used or returned again.{_pool.WhereReturned(this)}");

    internal void Clear() => new Span<byte>(_pointer, Length).Clear();

    /// <summary>The block's part of an array, with <see cref="NumaPoolMemoryOptions.ArrayBacked"/>.</summary>
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

        // No reference to the array is kept: stacks keep blocks that they have handed out, for a while.
        ThrowIfNotRented();
        var array = ArrayMemory.ArrayAt(Slab.Address);
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
        if (_state == Free)
        {
            ThrowNotRented();
        }
    }

    // Two threads that return one block at the same time can both get past the check of Dispose, which has no atomic operation;
    // the block is then free twice, and this finds out.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ThrowIfRented()
    {
        if (_state != Free)
        {
            ThrowRentedTwice();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DisposeSlow()
    {
        // Here an atomic operation is affordable, so that only one of two threads continues: the other would clear or unmap
        // memory that is no longer its own.
        if (Interlocked.Exchange(ref _state, Free) == Free)
        {
            ThrowNotRented();
        }

        if (_pool.IsGuarded)
        {
            _pool.ReturnGuarded(this);
            return;
        }

        _pool.Return(this);
    }

    private void ThrowRentedTwice() => throw new InvalidOperationException(
        $"A block of the {_pool} was returned by two threads at once and is now free twice: its owner returned it twice.");
}
