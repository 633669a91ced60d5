namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Address space for the allocator's own data, committed from its start as it grows. One thread at a time commits; all threads
/// use what is committed. Released by <see cref="Dispose"/>, at the latest when nothing refers to it any more.
/// </summary>
internal sealed class NativeRegion : IDisposable
{
    private readonly INumaMemoryProvider _memory;
    private readonly nuint _size;
    private long _committed;
    private int _released;

    private NativeRegion(INumaMemoryProvider memory, nint start, nuint size)
    {
        _memory = memory;
        Start = start;
        _size = size;
    }

    ~NativeRegion() => Release();

    public nint Start { get; }

    public static bool TryReserve(INumaMemoryProvider memory, long bytes, out NativeRegion region)
    {
        var size = RoundUp(memory, bytes);
        var result = memory.Reserve(size, memory.PageSize, out var start);
        region = result.Succeeded ? new NativeRegion(memory, start, size) : null!;
        return result.Succeeded;
    }

    /// <summary>
    /// Makes the first bytes usable; they read as zero. False when the system has no memory, or the region no room.
    /// </summary>
    public bool EnsureCommitted(long bytes)
    {
        if (bytes <= _committed)
        {
            return true;
        }

        var end = RoundUp(_memory, bytes);
        if (end > _size || !_memory.Commit(Start + (nint)_committed, end - (nuint)_committed).Succeeded)
        {
            return false;
        }

        _committed = (long)end;
        return true;
    }

    /// <summary>Gives pages back that read as zero from then on. False when the system does not do that.</summary>
    public bool Discard(long offset, long bytes) =>
        _memory.Advise(Start + (nint)offset, (nuint)bytes, NumaMemoryAdvice.Discard).Succeeded;

    public void Dispose()
    {
        Release();
        GC.SuppressFinalize(this);
    }

    private void Release()
    {
        if (Interlocked.Exchange(ref _released, 1) == 0)
        {
            _memory.Release(Start, _size);
        }
    }

    private static nuint RoundUp(INumaMemoryProvider memory, long bytes) =>
        ((nuint)bytes + memory.PageSize - 1) & ~(memory.PageSize - 1);
}
