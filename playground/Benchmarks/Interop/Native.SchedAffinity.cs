using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.Interop;

// sched_setaffinity(2): pid 0 is the calling thread, and a process started by it inherits the mask.
internal static partial class Native
{
    public static unsafe SysResult SetThreadAffinity(CpuSet cpus)
    {
        var words = cpus.AsWords();
        fixed (ulong* mask = words)
        {
            return SysResult.FromReturn(SchedSetAffinity(0, (nuint)(words.Length * sizeof(ulong)), mask));
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static unsafe partial int SchedSetAffinity(int pid, nuint size, ulong* mask);
}
