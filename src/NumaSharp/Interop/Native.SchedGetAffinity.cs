using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    /// <summary>sched_getaffinity(2): EINVAL when the mask is narrower than the kernel's own.</summary>
    public static unsafe SysResult SchedGetAffinity(int threadId, Span<ulong> mask)
    {
        fixed (ulong* words = mask)
        {
            return SysResult.FromReturn(SchedGetAffinity(threadId, (nuint)(mask.Length * sizeof(ulong)), words));
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    private static unsafe partial int SchedGetAffinity(int pid, nuint cpusetsize, ulong* mask);
}
