using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int GetNumaHighestNodeNumber(out uint highest)
    {
        fixed (uint* value = &highest)
        {
            return ErrorOf(GetNumaHighestNodeNumber(value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaHighestNodeNumber(uint* highest);
}
