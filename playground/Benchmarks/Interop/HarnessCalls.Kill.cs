using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Playground.Benchmarks.Interop;

// kill(2).
internal static partial class HarnessCalls
{
    public static SysResult Kill(int processId, int signal) => SysResult.FromReturn(SendSignal(processId, signal));

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendSignal(int processId, int signal);
}
