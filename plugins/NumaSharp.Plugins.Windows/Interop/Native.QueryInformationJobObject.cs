using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
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
