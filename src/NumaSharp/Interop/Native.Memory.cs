using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    public const int MPOL_PREFERRED = 1;
    public const int MPOL_BIND = 2;
    public const int MPOL_INTERLEAVE = 3;

    // Since Linux 5.15; older kernels answer EINVAL.
    public const int MPOL_PREFERRED_MANY = 5;

    // Since Linux 6.9; older kernels answer EINVAL.
    public const int MPOL_WEIGHTED_INTERLEAVE = 6;

    // Since Linux 2.6.26. Without it the kernel renumbers the nodes of a policy whenever cpuset.mems changes, and does not
    // restore them: a range bound to 1, with mems 0-1, then 1, then 0-1, is bound to 0 (mpol_rebind_nodemask in mm/mempolicy.c).
    private const int MPOL_F_STATIC_NODES = 1 << 15;

    /// <summary>mbind(2) without moving pages that are there already.</summary>
    public static unsafe SysResult MBind(nint address, nuint length, int mode, ReadOnlySpan<ulong> nodes)
    {
        // The kernel decrements maxnode before it reads the mask (get_nodes in mm/mempolicy.c): one more than the bits,
        // or the highest node of a full word is lost.
        var maxNode = ((nuint)nodes.Length * 64) + 1;
        mode |= MPOL_F_STATIC_NODES;
        fixed (ulong* words = nodes)
        {
            return SysResult.FromReturn(MBind(SyscallNumbers.MBind, address, length, mode, words, maxNode, 0));
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint MBind(
        nint number, nint address, nuint length, nint mode, ulong* nodeMask, nuint maxNode, nuint flags);

    /// <summary>
    /// set_mempolicy_home_node(2), Linux 5.17: which of the nodes of a range that is bound or prefers several is used first.
    /// Docker's default seccomp profile answers ENOSYS.
    /// </summary>
    public static SysResult SetHomeNode(nint address, nuint length, int nodeId) =>
        SysResult.FromReturn(SetHomeNode(SyscallNumbers.SetMempolicyHomeNode, address, length, nodeId, 0));

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SetHomeNode(nint number, nint address, nuint length, nint node, nuint flags);

    /// <summary>
    /// move_pages(2) as a query about one page of this process: the node, or the page's own error (ENOENT: not touched).
    /// </summary>
    public static unsafe SysResult QueryPageNode(nint address)
    {
        var page = (void*)address;
        var status = -Errno.ENOENT;
        var result = SysResult.FromReturn(MovePages(SyscallNumbers.MovePages, 0, 1, &page, null, &status, 0));
        return !result.Succeeded ? result
            : status < 0 ? SysResult.FromErrno(-status)
            : SysResult.FromReturn(status);
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint MovePages(
        nint number, nint pid, nuint count, void** pages, int* nodes, int* status, nint flags);

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

    /// <summary>munmap(2).</summary>
    public static SysResult Unmap(nint address, nuint length) => SysResult.FromReturn(Munmap(address, length));

    /// <summary>
    /// Gives back what lies before and after a part of a mapping. Can fail with ENOMEM when the process is at vm.max_map_count.
    /// </summary>
    public static SysResult UnmapAround(nint start, nuint length, nint keep, nuint keepLength)
    {
        var head = (nuint)(keep - start);
        var tail = length - head - keepLength;
        var result = head > 0 ? Unmap(start, head) : SysResult.FromReturn(0);
        return result.Succeeded && tail > 0 ? Unmap(keep + (nint)keepLength, tail) : result;
    }

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Munmap(nint address, nuint length);

    /// <summary>mprotect(2).</summary>
    public static SysResult Protect(nint address, nuint length, int protection) =>
        SysResult.FromReturn(Mprotect(address, length, protection));

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Mprotect(nint address, nuint length, int protection);

    public const int MADV_DONTNEED = 4;
    public const int MADV_HUGEPAGE = 14;

    /// <summary>madvise(2).</summary>
    public static SysResult Advise(nint address, nuint length, int advice)
    {
        SysResult result;
        do
        {
            result = SysResult.FromReturn(Madvise(address, length, advice));
        }
        while (result.IsInterrupted);

        return result;
    }

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Madvise(nint address, nuint length, int advice);
}
