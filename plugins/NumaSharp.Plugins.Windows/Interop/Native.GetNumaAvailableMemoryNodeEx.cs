using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int GetNumaAvailableMemoryNodeEx(ushort node, out ulong bytes)
    {
        fixed (ulong* value = &bytes)
        {
            return ErrorOf(GetNumaAvailableMemoryNodeEx(node, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaAvailableMemoryNodeEx(ushort node, ulong* bytes);
}
