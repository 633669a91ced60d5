using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Memory that is taken before it is needed.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>
    /// Takes memory for ordinary blocks until the pool has this much from the system, or reaches its limit, and writes to each
    /// page, so that it exists, on its node, before it is rented. Other threads may rent meanwhile. It stays until it is trimmed
    /// (see <see cref="NumaNodeMemoryOptions.KeepPerNode"/>), or memory comes from other nodes.
    /// </summary>
    /// <param name="bytes">The amount, including what the pool has already; 0 or less than that does nothing.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="OutOfMemoryException">The system has no more memory; what was taken by then stays.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    public void Preallocate(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        while (PreallocateChunk(bytes))
        {
        }
    }

    // One chunk (128 KiB, or a block) at a time, touched before other threads see it. They rent free blocks meanwhile.
    private bool PreallocateChunk(long bytes)
    {
        var size = _classes[0];
        lock (size.Growing)
        {
            lock (_lock)
            {
                ThrowIfDisposed();
                if (CommittedBytes >= bytes)
                {
                    return false;
                }
            }

            return TryGrow(size, isTouched: true, out var result)
                || (result.Succeeded ? false : throw _memory.OutOfMemory(bytes, result));
        }
    }
}
