using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    /// <summary>Masks of the process's group; both 0 for a process with threads in several groups.</summary>
    public static unsafe int GetProcessAffinityMask(out nuint process, out nuint system)
    {
        fixed (nuint* first = &process)
        fixed (nuint* second = &system)
        {
            return ErrorOf(GetProcessAffinityMask(CurrentProcess, first, second));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetProcessAffinityMask(nint process, nuint* processMask, nuint* systemMask);
}
