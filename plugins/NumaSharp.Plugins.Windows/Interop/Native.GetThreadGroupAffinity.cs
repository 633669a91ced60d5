using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int GetThreadGroupAffinity(out GroupAffinity affinity)
    {
        fixed (GroupAffinity* value = &affinity)
        {
            return ErrorOf(GetThreadGroupAffinity(CurrentThread, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetThreadGroupAffinity(nint thread, GroupAffinity* affinity);
}
