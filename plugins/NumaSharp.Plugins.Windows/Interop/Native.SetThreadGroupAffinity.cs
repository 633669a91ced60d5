using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int SetThreadGroupAffinity(GroupAffinity affinity) =>
        ErrorOf(SetThreadGroupAffinity(CurrentThread, &affinity, null));

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int SetThreadGroupAffinity(nint thread, GroupAffinity* affinity, GroupAffinity* previous);
}
