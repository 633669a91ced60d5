using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    /// <summary>Selects a CPU set for the calling thread, possibly over several groups; none clears the selection.</summary>
    public static unsafe int SetThreadSelectedCpuSetMasks(ReadOnlySpan<GroupAffinity> masks)
    {
        if (!s_hasThreadCpuSetMasks)
        {
            return Win32Error.ERROR_PROC_NOT_FOUND;
        }

        fixed (GroupAffinity* first = masks)
        {
            return ErrorOf(SetThreadSelectedCpuSetMasks(CurrentThread, first, (ushort)masks.Length));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int SetThreadSelectedCpuSetMasks(nint thread, GroupAffinity* masks, ushort length);
}
