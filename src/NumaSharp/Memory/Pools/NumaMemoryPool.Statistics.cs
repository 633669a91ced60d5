using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Figures, derived when they are read: renting and returning count nothing.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>The bytes of memory that the pool has taken from the system.</summary>
    public long CommittedBytes => _memory.CommittedBytes;

    /// <summary>The limit in bytes, 0 for none.</summary>
    public long LimitBytes => _memory.LimitBytes;

    /// <summary>The bytes in rented blocks. A snapshot while others rent and return.</summary>
    public long RentedBytes => Sum(
        static (size, free) => (long)(size.Created - free) * size.Length, static slab => (long)slab.Size);

    /// <summary>How many blocks are rented. A snapshot while others rent and return.</summary>
    public long RentedBlocks => Sum(static (size, free) => size.Created - free, static _ => 1);

    /// <summary>The bytes in blocks that wait to be rented. A snapshot while others rent and return.</summary>
    public long PooledBytes => Sum(static (size, free) => (long)free * size.Length, static _ => 0);

    private long Sum(Func<PoolSizeClass, int, long> ofSize, Func<PoolSlab, long> ofDedicated)
    {
        lock (_lock)
        {
            long sum = 0;
            foreach (var slab in _dedicated)
            {
                sum += slab.IsRetired ? 0 : ofDedicated(slab);
            }

            foreach (var size in _classes)
            {
                var free = size.Free.Count;
                foreach (var cache in _caches)
                {
                    free += cache.StackOf(size.Index).Count;
                }

                // Blocks that move while they are counted are counted twice or not at all.
                sum += ofSize(size, Math.Min(free, size.Created));
            }

            return sum;
        }
    }
}
