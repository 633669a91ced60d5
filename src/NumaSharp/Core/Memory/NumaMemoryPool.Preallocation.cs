using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Memory that is there before it is needed.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>
    /// Takes memory for ordinary blocks until the pool has so much from the system, or its limit, and writes to each page, so
    /// that it is there, on its node, before anybody rents it. Others may rent meanwhile. It stays until it is trimmed: see
    /// <see cref="NumaMemoryPoolOptions.KeepBytes"/>.
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

    // The lock is held for a chunk (128 KiB, or a block) at a time, and while its pages are touched: whoever rents one of its
    // blocks owns what is in it.
    private bool PreallocateChunk(long bytes)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_gate != 0, this);
            if (CommittedBytes >= bytes)
            {
                return false;
            }

            var size = _classes[0];
            var before = size.Free.Count;
            var result = Grow(size);
            if (size.Free.Count == before)
            {
                return result.Succeeded ? false : throw _memory.OutOfMemory(bytes, result);
            }

            // The lowest address is on top. Beyond the last block is what the next ones begin with.
            var fresh = size.Free.Items[before..];
            var (start, end) = (fresh[^1].Address, fresh[0].Address + size.Length);
            FirstTouch.TouchHere(start, (nuint)(end - start), _memory.PageSize);
            FirstTouch.TouchHere(end - 1, size: 1, _memory.PageSize);
            return true;
        }
    }
}
