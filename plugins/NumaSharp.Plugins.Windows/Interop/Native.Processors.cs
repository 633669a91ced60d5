using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private const int RelationAll = 0xFFFF;

    /// <summary>
    /// GetLogicalProcessorInformationEx of all relations, the only query for all groups of a node (build 20348 and later).
    /// </summary>
    public static unsafe int GetLogicalProcessorInformation(out byte[] records)
    {
        records = [];
        uint length = 0;
        while (true)
        {
            int error;
            fixed (byte* buffer = records)
            {
                error = ErrorOf(GetLogicalProcessorInformationEx(RelationAll, buffer, &length));
            }

            if (error == Win32Error.ERROR_SUCCESS)
            {
                Array.Resize(ref records, (int)length);
                return error;
            }

            // Retried with the requested length, which grows if a CPU is added meanwhile.
            if (error != Win32Error.ERROR_INSUFFICIENT_BUFFER || length <= records.Length || length > Array.MaxLength)
            {
                records = [];
                return error;
            }

            records = new byte[length];
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetLogicalProcessorInformationEx(int relationship, byte* buffer, uint* length);

    public static unsafe int GetNumaHighestNodeNumber(out uint highest)
    {
        fixed (uint* value = &highest)
        {
            return ErrorOf(GetNumaHighestNodeNumber(value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaHighestNodeNumber(uint* highest);

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

    /// <summary>The CPUs of a node in its first group; 0 for a node without CPUs.</summary>
    public static unsafe int GetNumaNodeProcessorMaskEx(ushort node, out GroupAffinity mask)
    {
        fixed (GroupAffinity* value = &mask)
        {
            return ErrorOf(GetNumaNodeProcessorMaskEx(node, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaNodeProcessorMaskEx(ushort node, GroupAffinity* mask);

    public static unsafe int GetNumaProcessorNodeEx(ProcessorNumber processor, out ushort node)
    {
        fixed (ushort* value = &node)
        {
            return ErrorOf(GetNumaProcessorNodeEx(&processor, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaProcessorNodeEx(ProcessorNumber* processor, ushort* node);

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

    public static unsafe int GetProcessGroupAffinity(Span<ushort> groups, out ushort count)
    {
        count = (ushort)groups.Length;
        fixed (ushort* first = groups)
        fixed (ushort* value = &count)
        {
            return ErrorOf(GetProcessGroupAffinity(CurrentProcess, value, first));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetProcessGroupAffinity(nint process, ushort* count, ushort* groups);

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

    private const int JobObjectGroupInformationEx = 14;

    /// <summary>The groups and CPUs of this process's job (such as a container).</summary>
    public static unsafe int GetJobGroupAffinity(Span<GroupAffinity> masks, out ushort count)
    {
        uint bytes = 0;
        int error;
        fixed (GroupAffinity* first = masks)
        {
            error = ErrorOf(QueryInformationJobObject(
                0, JobObjectGroupInformationEx, first, (uint)(masks.Length * sizeof(GroupAffinity)), &bytes));
        }

        count = (ushort)Math.Min(bytes / (uint)sizeof(GroupAffinity), ushort.MaxValue);
        return error;
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int QueryInformationJobObject(
        nint job, int kind, GroupAffinity* masks, uint length, uint* required);
}
