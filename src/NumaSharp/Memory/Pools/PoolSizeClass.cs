namespace NumaSharp.Core.Memory;

/// <summary>
/// The blocks of one size in a pool: the shared free ones, and where new ones are cut. Guarded by the pool's lock.
/// </summary>
internal sealed class PoolSizeClass
{
    public const int CacheLine = 64;

    private const int SlabBytes = 2 * 1024 * 1024;
    private const int ChunkBytes = 128 * 1024;
    private const int TouchedBytes = 1024 * 1024;
    private const int ShareOfAvailable = 8;
    private const int CacheBytes = 256 * 1024;
    private const int MaxCached = 64;
    private const int MinCached = 2;
    private const int MinBlocksPerSlab = 4;
    private const int ColouredMultiple = 4096;
    private const int LeastColours = 16;
    private const int ShareOfWaste = 32;

    public PoolSizeClass(int index, int length, bool hasMargin, nuint pageSize)
    {
        Index = index;
        Length = length;

        // A stride that is a multiple of 4096 puts the starts of all blocks into the same few sets of the first-level
        // cache: 1000 blocks touched in shuffled order took 12.9 ns each, with one line more 4.5.
        Stride = (nuint)(hasMargin || length % ColouredMultiple == 0 ? length + CacheLine : length);

        // If it costs no more than a page in 32, a block shares no page with another, so that its pages can be given back. The
        // colour is then its offset within its place.
        var exclusive = ((nuint)(length + (LeastColours * CacheLine)) + pageSize - 1) & ~(pageSize - 1);
        if (!hasMargin && exclusive - (nuint)length <= (nuint)(length / ShareOfWaste))
        {
            Stride = exclusive;
            Colours = (int)(exclusive - (nuint)length) / CacheLine;
        }

        CacheCapacity = Math.Clamp(CacheBytes / length, MinCached, MaxCached);
        ChunkBlocks = Math.Max(1, ChunkBytes / length);
        SlabSize = Math.Max(SlabBytes, Stride * MinBlocksPerSlab);
    }

    /// <summary>
    /// Held by the thread that gets memory for the size, or has free blocks out of circulation. Taken before the pool's lock.
    /// </summary>
    public Lock Growing { get; } = new();

    public int Index { get; }

    /// <summary>Usable bytes of a block, a multiple of 64.</summary>
    public int Length { get; }

    public nuint Stride { get; }

    /// <summary>The number of offsets, a cache line apart, at which blocks start in their places, one after the other.</summary>
    public int Colours { get; } = 1;

    /// <summary>How many free blocks a thread keeps at most.</summary>
    public int CacheCapacity { get; }

    /// <summary>How many blocks move between a thread and the pool at once.</summary>
    public int Batch => (CacheCapacity + 1) / 2;

    /// <summary>How many blocks get memory at once.</summary>
    public int ChunkBlocks { get; }

    public nuint SlabSize { get; }

    /// <summary>The free blocks that no thread keeps.</summary>
    public FreeSlabs Free { get; } = new();

    public List<PoolSlab> Slabs { get; } = [];

    public PoolSlab? Current { get; set; }

    /// <summary>How many blocks exist, free or rented.</summary>
    public int Created { get; set; }

    /// <summary>
    /// As <see cref="ChunkBlocks"/>, if another thread touches the memory, which costs a thread switch each time: up to 1 MiB,
    /// but a small part only of what the limit has room for.
    /// </summary>
    public int TouchedBlocks(long availableBytes) =>
        (int)Math.Max(1, Math.Min(TouchedBytes, availableBytes / ShareOfAvailable) / (long)Stride);

    /// <summary>Forgets the slabs that are retired.</summary>
    public void RemoveRetired()
    {
        Slabs.RemoveAll(static slab => slab.IsRetired);
        if (Current is { IsRetired: true })
        {
            Current = Slabs.Find(static slab => slab.Remaining > 0);
        }
    }
}
