using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
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
}
