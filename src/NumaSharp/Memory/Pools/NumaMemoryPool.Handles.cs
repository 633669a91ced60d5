using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>What a <see cref="NumaPoolHandle"/> does with the cache that it has found.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>The calling thread's cache, for loops: renting and returning there need not find it first.</summary>
    /// <returns>The handle.</returns>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    public NumaPoolHandle OpenHandle()
    {
        if (PoolThreadCache.Find(_id, this) is { } found)
        {
            return new NumaPoolHandle(this, found);
        }

        lock (_lock)
        {
            ThrowIfDisposed();
            StackOfThisThread(_classes[0]);

            // Still under the lock: a pool that is disposed has no caches.
            return new NumaPoolHandle(this, PoolThreadCache.Find(_id, this)!);
        }
    }
}
