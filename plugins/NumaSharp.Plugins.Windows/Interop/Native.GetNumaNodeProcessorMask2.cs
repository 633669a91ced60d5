using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private static readonly bool s_hasNumaNodeProcessorMask2 = HasExport(Kernel32, nameof(GetNumaNodeProcessorMask2));

    /// <summary>All CPUs of a node, one mask per group; since Windows Server 2022.</summary>
    public static unsafe int GetNumaNodeProcessorMask2(ushort node, Span<GroupAffinity> masks, out ushort count)
    {
        count = 0;
        if (!s_hasNumaNodeProcessorMask2)
        {
            return Win32Error.ERROR_PROC_NOT_FOUND;
        }

        fixed (GroupAffinity* first = masks)
        fixed (ushort* required = &count)
        {
            return ErrorOf(GetNumaNodeProcessorMask2(node, first, (ushort)masks.Length, required));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaNodeProcessorMask2(
        ushort node, GroupAffinity* masks, ushort length, ushort* required);
}
