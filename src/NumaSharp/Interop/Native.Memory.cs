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
}
