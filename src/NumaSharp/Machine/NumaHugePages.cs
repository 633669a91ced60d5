namespace NumaSharp.Core;

/// <summary>A node's pool of huge pages of one size (<c>nodeN/hugepages/hugepages-*kB</c>, hugetlbpage.rst). Immutable.</summary>
public sealed record NumaHugePages
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="pageBytes"><see cref="PageBytes"/></param>
    /// <param name="total"><see cref="Total"/></param>
    /// <param name="free"><see cref="Free"/></param>
    public NumaHugePages(long pageBytes, long total, long free)
    {
        PageBytes = pageBytes;
        Total = total;
        Free = free;
    }

    /// <summary>The size of a page in bytes, such as 2 MiB.</summary>
    public long PageBytes { get; init; }

    /// <summary>How many pages the pool has.</summary>
    public long Total { get; init; }

    /// <summary>How many of them are not in use.</summary>
    public long Free { get; init; }
}
