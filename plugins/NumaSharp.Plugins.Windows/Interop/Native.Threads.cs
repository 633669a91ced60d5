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

    public static unsafe int GetThreadGroupAffinity(out GroupAffinity affinity)
    {
        fixed (GroupAffinity* value = &affinity)
        {
            return ErrorOf(GetThreadGroupAffinity(CurrentThread, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetThreadGroupAffinity(nint thread, GroupAffinity* affinity);

    public static unsafe int SetThreadGroupAffinity(GroupAffinity affinity) =>
        ErrorOf(SetThreadGroupAffinity(CurrentThread, &affinity, null));

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int SetThreadGroupAffinity(nint thread, GroupAffinity* affinity, GroupAffinity* previous);

    public static unsafe ProcessorNumber GetCurrentProcessorNumber()
    {
        ProcessorNumber number;
        GetCurrentProcessorNumberEx(&number);
        return number;
    }

    [LibraryImport(Kernel32)]
    private static unsafe partial void GetCurrentProcessorNumberEx(ProcessorNumber* number);
}
