using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    /// <summary>sched_setaffinity(2).</summary>
    public static unsafe SysResult SchedSetAffinity(int threadId, ReadOnlySpan<ulong> mask)
    {
        fixed (ulong* words = mask)
        {
            return SysResult.FromReturn(SchedSetAffinity(threadId, (nuint)(mask.Length * sizeof(ulong)), words));
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static unsafe partial int SchedSetAffinity(int pid, nuint cpusetsize, ulong* mask);
}
