using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    public const int PROT_NONE = 0;
    public const int PROT_READ = 1;
    public const int PROT_WRITE = 2;

    public const int MAP_PRIVATE = 0x02;
    public const int MAP_ANONYMOUS = 0x20;
    public const int MAP_NORESERVE = 0x4000;

    /// <summary>mmap(2) of private anonymous pages without swap accounting: with PROT_NONE, address space alone.</summary>
    public static SysResult MmapAnonymous(nuint length, int protection) => SysResult.FromReturn(
        Mmap(0, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Mmap(nint address, nuint length, int protection, int flags, int fd, nint offset);
}
