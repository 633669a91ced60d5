using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int GlobalMemoryStatusEx(out MemoryStatus status)
    {
        status = new MemoryStatus { Length = (uint)sizeof(MemoryStatus) };
        fixed (MemoryStatus* value = &status)
        {
            return ErrorOf(GlobalMemoryStatusEx(value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GlobalMemoryStatusEx(MemoryStatus* status);
}
