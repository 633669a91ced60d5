using System.Buffers;

namespace NumaSharp.Core.Memory;

/// <summary>
/// A block as elements of <typeparamref name="T"/>: owner and memory, reused with its block. Its own state and not the block's
/// tells whether it may be used: the block may be rented as another type.
/// </summary>
internal sealed unsafe class TypedBlock<T> : MemoryManager<T>, IMemoryOwner<T>, IDisposable, ITypedBlock
    where T : unmanaged
{
    private readonly NumaMemoryBlock _block;
    private readonly int _length;
    private bool _isRented;

    private TypedBlock(NumaMemoryBlock block)
    {
        _block = block;
        _length = block.Length / sizeof(T);
        Next = block.Typed;
        block.Typed = this;
    }

    public ITypedBlock? Next { get; }

    public override Memory<T> Memory
    {
        get
        {
            ThrowIfNotRented();
            return CreateMemory(_length);
        }
    }

    /// <summary>The typed view of a block that the caller has just rented.</summary>
    public static TypedBlock<T> Of(NumaMemoryBlock block)
    {
        var found = Find(block.Typed) ?? new TypedBlock<T>(block);
        found._isRented = true;
        return found;
    }

    public override Span<T> GetSpan()
    {
        ThrowIfNotRented();
        return new Span<T>(_block.Pointer, _length);
    }

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)_length, nameof(elementIndex));
        ThrowIfNotRented();
        return new MemoryHandle((T*)_block.Pointer + elementIndex, pinnable: this);
    }

    public override void Unpin()
    {
    }

    // Hides MemoryManager's, as the block's own does.
    public void Dispose()
    {
        ThrowIfNotRented();
        _isRented = false;
        _block.Dispose();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Dispose();
        }
    }

    private static TypedBlock<T>? Find(ITypedBlock? first)
    {
        for (var typed = first; typed is not null; typed = typed.Next)
        {
            if (typed is TypedBlock<T> found)
            {
                return found;
            }
        }

        return null;
    }

    private void ThrowIfNotRented()
    {
        if (!_isRented)
        {
            _block.ThrowNotRented();
        }
    }
}

/// <summary>
/// A face of a <see cref="NumaMemoryBlock"/> as elements of some type. A block has one for each type that it was rented as.
/// </summary>
internal interface ITypedBlock
{
    /// <summary>The same block's face of another type.</summary>
    ITypedBlock? Next { get; }
}
