namespace NumaSharp.Core;

/// <summary>A node's pool of huge pages of one size (<c>nodeN/hugepages/hugepages-*kB</c>, hugetlbpage.rst). Immutable.</summary>
/// <param name="PageBytes">The size of a page in bytes, such as 2 MiB.</param>
/// <param name="Total">How many pages the pool has.</param>
/// <param name="Free">How many of them are not in use.</param>
public sealed record NumaHugePages(long PageBytes, long Total, long Free);
