using System.Buffers;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>
/// A <see cref="NumaMemoryPool"/> as a pool of elements of an unmanaged type: for code that takes a
/// <see cref="MemoryPool{T}"/>. Each rent is a whole block; renting and returning up to 1 MiB allocate nothing in the steady
/// state. Thread-safe; what was rented may be returned by any thread.
/// </summary>
/// <remarks>
/// Memory is 64-byte aligned, which is enough for every type, vectors of 512 bits included. Using or returning memory that is
/// not rented throws <see cref="ObjectDisposedException"/>, until the same memory is rented as the same type again.
/// </remarks>
/// <typeparam name="T">The type of the elements.</typeparam>
public sealed unsafe class NumaMemoryPool<T> : MemoryPool<T>
    where T : unmanaged
{
    private readonly NumaMemoryPool _pool;
    private volatile bool _disposed;

    /// <summary>Creates a typed view of a pool, which is not disposed with it.</summary>
    /// <param name="pool">The pool to rent from.</param>
    public NumaMemoryPool(NumaMemoryPool pool)
    {
        ArgumentNullException.ThrowIfNull(pool);
        _pool = pool;
    }

    /// <summary>The largest request, in elements.</summary>
    public override int MaxBufferSize => _pool.MaxBufferSize / sizeof(T);

    /// <summary>Rents a block.</summary>
    /// <param name="minBufferSize">
    /// The least number of elements, or -1 for as many as an ordinary block of the pool holds, but at least one.
    /// </param>
    /// <returns>
    /// The owner; disposing it returns the block. All elements that the block has room for are in its memory, with arbitrary
    /// content.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is below -1 or above <see cref="MaxBufferSize"/>.</exception>
    /// <exception cref="ObjectDisposedException">This or the pool is disposed.</exception>
    /// <exception cref="OutOfMemoryException">The limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    public override IMemoryOwner<T> Rent(int minBufferSize = -1)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        ArgumentOutOfRangeException.ThrowIfLessThan(minBufferSize, -1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, MaxBufferSize);
        return TypedBlock<T>.Of(_pool.RentBlock(Math.Max(minBufferSize, 1) * sizeof(T)));
    }

    /// <summary>Ends renting through this view. Rented memory stays valid, and the pool is unchanged.</summary>
    /// <param name="disposing">False in a finalizer.</param>
    protected override void Dispose(bool disposing) => _disposed = true;
}
