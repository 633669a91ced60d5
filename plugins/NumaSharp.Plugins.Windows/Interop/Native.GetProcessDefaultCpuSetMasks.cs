using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private static readonly bool s_hasProcessDefaultCpuSetMasks =
        HasExport(Kernel32, nameof(GetProcessDefaultCpuSetMasks));

    /// <summary>The CPUs of threads without a CPU set of their own; since Windows Server 2022.</summary>
    public static unsafe int GetProcessDefaultCpuSetMasks(Span<GroupAffinity> masks, out ushort count)
    {
        count = 0;
        if (!s_hasProcessDefaultCpuSetMasks)
        {
            return Win32Error.ERROR_PROC_NOT_FOUND;
        }

        fixed (GroupAffinity* first = masks)
        fixed (ushort* required = &count)
        {
            return ErrorOf(GetProcessDefaultCpuSetMasks(CurrentProcess, first, (ushort)masks.Length, required));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetProcessDefaultCpuSetMasks(
        nint process, GroupAffinity* masks, ushort length, ushort* required);
}
