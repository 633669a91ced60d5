namespace NumaSharp.Hosting;

/// <summary>The pages that the memory pools use.</summary>
public enum NumaHugePageUse
{
    /// <summary>The system's default pages.</summary>
    None,

    /// <summary>Transparent huge pages are requested (MADV_HUGEPAGE).</summary>
    Transparent,

    /// <summary>Pages of 2 MiB from the nodes' pools (hugetlb), by the provider <c>HugePages</c>: written <c>2MiB</c>.</summary>
    Size2MiB,

    /// <summary>Pages of 1 GiB from the nodes' pools, by the provider <c>HugePages1GiB</c>: written <c>1GiB</c>.</summary>
    Size1GiB,
}
