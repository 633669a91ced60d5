using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
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
}
