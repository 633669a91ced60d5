using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
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
}
