using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private static readonly bool s_hasThreadCpuSetMasks = HasExport(Kernel32, nameof(GetThreadSelectedCpuSetMasks));

    /// <summary>
    /// The CPU set selected for the calling thread, 0 masks if none; since Windows Server 2022.
    /// </summary>
    public static unsafe int GetThreadSelectedCpuSetMasks(Span<GroupAffinity> masks, out ushort count)
    {
        count = 0;
        if (!s_hasThreadCpuSetMasks)
        {
            return Win32Error.ERROR_PROC_NOT_FOUND;
        }

        fixed (GroupAffinity* first = masks)
        fixed (ushort* required = &count)
        {
            return ErrorOf(GetThreadSelectedCpuSetMasks(CurrentThread, first, (ushort)masks.Length, required));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetThreadSelectedCpuSetMasks(
        nint thread, GroupAffinity* masks, ushort length, ushort* required);
}
