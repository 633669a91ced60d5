using System.Numerics;
using NumaSharp.Interop;

namespace NumaSharp.Plugins.HugePages;

/// <summary>System calls for huge pages, beside those of <see cref="Native"/>.</summary>
internal static class HugePageCalls
{
    private const int MAP_FIXED = 0x10;
    private const int MAP_HUGETLB = 0x40000;
    private const int MAP_HUGE_SHIFT = 26;

    private const int MADV_DONTFORK = 10;

    // Since Linux 5.14; older kernels return EINVAL.
    private const int MADV_POPULATE_WRITE = 23;

    /// <summary>
    /// mmap(2) of address space for huge pages. MAP_NORESERVE takes nothing from the pools: MADV_POPULATE_WRITE allocates the
    /// pages, or fails.
    /// </summary>
    public static SysResult MmapHuge(nuint length, nuint pageSize) => SysResult.FromReturn(Native.Mmap(
        0,
        length,
        Native.PROT_NONE,
        Native.MAP_PRIVATE | Native.MAP_ANONYMOUS | Native.MAP_NORESERVE | MAP_HUGETLB
            | (BitOperations.Log2(pageSize) << MAP_HUGE_SHIFT),
        -1,
        0));

    /// <summary>mmap(2) of ordinary pages, replacing the mapping at an address.</summary>
    public static SysResult MmapOrdinaryAt(nint address, nuint length) => SysResult.FromReturn(Native.Mmap(
        address,
        length,
        Native.PROT_READ | Native.PROT_WRITE,
        Native.MAP_PRIVATE | Native.MAP_ANONYMOUS | Native.MAP_NORESERVE | MAP_FIXED,
        -1,
        0));

    /// <summary>madvise(2), MADV_DONTFORK: a child gets no copy, so that our writes need no new page after a fork.</summary>
    public static SysResult KeepFromChildren(nint address, nuint length) => Native.Advise(address, length, MADV_DONTFORK);

    /// <summary>
    /// madvise(2), MADV_POPULATE_WRITE: allocates every page as a write would, and returns EFAULT where a write would cause a
    /// SIGBUS.
    /// </summary>
    public static SysResult Populate(nint address, nuint length) => Native.Advise(address, length, MADV_POPULATE_WRITE);
}
