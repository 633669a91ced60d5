using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

// kill(2).
internal static partial class Native
{
    public static SysResult Kill(int processId, int signal) => SysResult.FromReturn(SendSignal(processId, signal));

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendSignal(int processId, int signal);
}
