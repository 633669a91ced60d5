using System.Numerics;
using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    public const int PROT_NONE = 0;
    public const int PROT_READ = 1;
    public const int PROT_WRITE = 2;

    private const int MAP_PRIVATE = 0x02;
    private const int MAP_FIXED = 0x10;
    private const int MAP_ANONYMOUS = 0x20;
    private const int MAP_NORESERVE = 0x4000;
    private const int MAP_HUGETLB = 0x40000;
    private const int MAP_HUGE_SHIFT = 26;

    /// <summary>
    /// mmap(2) of address space whose pages will be huge. MAP_NORESERVE takes nothing from the pools: the pages are taken, or
    /// not, by MADV_POPULATE_WRITE.
    /// </summary>
    public static SysResult MmapHuge(nuint length, nuint pageSize) => SysResult.FromReturn(Mmap(
        0,
        length,
        PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_HUGETLB | (BitOperations.Log2(pageSize) << MAP_HUGE_SHIFT),
        -1,
        0));

    /// <summary>mmap(2) of ordinary pages in place of what is at an address.</summary>
    public static SysResult MmapOrdinaryAt(nint address, nuint length) => SysResult.FromReturn(Mmap(
        address, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));

    /// <summary>munmap(2).</summary>
    public static SysResult Unmap(nint address, nuint length) => SysResult.FromReturn(Munmap(address, length));

    /// <summary>mprotect(2).</summary>
    public static SysResult Protect(nint address, nuint length, int protection) =>
        SysResult.FromReturn(Mprotect(address, length, protection));

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Mmap(nint address, nuint length, int protection, int flags, int fd, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Munmap(nint address, nuint length);

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Mprotect(nint address, nuint length, int protection);
}
