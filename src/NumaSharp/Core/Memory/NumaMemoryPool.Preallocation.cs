using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Memory that is there before it is needed.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>
    /// Takes memory for ordinary blocks until the pool has so much from the system, or its limit, and writes to each page, so
    /// that it is there, on its node, before anybody rents it. Others may rent meanwhile. It stays until it is trimmed (see
    /// <see cref="NumaMemoryPoolOptions.KeepBytes"/>), or memory comes from other nodes.
    /// </summary>
    /// <param name="bytes">How much, with what the pool has already; 0 or less than that does nothing.</param>
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

    // A chunk (128 KiB, or a block) at a time, whose pages are touched before others see it. Others rent meanwhile what is free.
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
