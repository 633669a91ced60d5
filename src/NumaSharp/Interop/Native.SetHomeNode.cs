using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    /// <summary>
    /// set_mempolicy_home_node(2), Linux 5.17: which of the nodes of a range that is bound or prefers several is used first.
    /// Docker's default seccomp profile answers ENOSYS.
    /// </summary>
    public static SysResult SetHomeNode(nint address, nuint length, int nodeId) =>
        SysResult.FromReturn(SetHomeNode(SyscallNumbers.SetMempolicyHomeNode, address, length, nodeId, 0));

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SetHomeNode(nint number, nint address, nuint length, nint node, nuint flags);
}
