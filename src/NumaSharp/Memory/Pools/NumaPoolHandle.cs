using System.Runtime.CompilerServices;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>
/// The calling thread's own cache of a <see cref="NumaMemoryPool"/>, found once instead of at every rent and return: for event
/// loops. For one thread, while the variable lives; blocks rented here may be returned in any other way, and vice versa.
/// </summary>
public readonly ref struct NumaPoolHandle
{
    private readonly NumaMemoryPool _pool;
    private readonly PoolThreadCache _cache;

    internal NumaPoolHandle(NumaMemoryPool pool, PoolThreadCache cache)
    {
        _pool = pool;
        _cache = cache;
    }

    /// <summary>Rents a block of <see cref="NumaMemoryPool.BlockSize"/>.</summary>
    /// <returns>The block, to be returned here or by disposing it. The content is arbitrary.</returns>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="OutOfMemoryException">The limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public NumaMemoryBlock Rent()
    {
        if (!_cache.TryPop(_pool, out var block))
        {
            return _pool.RentBlock();
        }

        block.OnRented();
        return block;
    }

    /// <summary>Returns a block, as disposing it does.</summary>
    /// <param name="block">A block of any size and any pool.</param>
    /// <exception cref="ObjectDisposedException">The block has been returned already.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Return(NumaMemoryBlock block)
    {
        if (!block.IsPlainOf(_pool))
        {
            block.Dispose();
            return;
        }

        block.OnReturned();
        if (!_cache.TryPush(_pool, classIndex: 0, block))
        {
            _pool.Return(block);
        }
    }
}
