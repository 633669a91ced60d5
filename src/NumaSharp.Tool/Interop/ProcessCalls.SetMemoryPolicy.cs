using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

internal static partial class ProcessCalls
{
    // No C library exports it: arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-generic/unistd.h for arm64.
    private static readonly nint s_setMemPolicy = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 237 : 238;

    /// <summary>set_mempolicy(2): the nodes that the calling thread's pages come from; kept over execve(2).</summary>
    public static unsafe SysResult SetMemoryPolicy(int mode, ReadOnlySpan<ulong> nodes)
    {
        // The kernel decrements maxnode before it reads the mask (get_nodes in mm/mempolicy.c).
        var maxNode = ((nuint)nodes.Length * 64) + 1;
        fixed (ulong* words = nodes)
        {
            return SysResult.FromReturn(SetMemPolicy(s_setMemPolicy, mode, words, maxNode));
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static unsafe partial nint SetMemPolicy(nint number, nint mode, ulong* nodeMask, nuint maxNode);
}
