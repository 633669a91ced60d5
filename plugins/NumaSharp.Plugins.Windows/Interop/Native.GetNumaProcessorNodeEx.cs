using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int GetNumaProcessorNodeEx(ProcessorNumber processor, out ushort node)
    {
        fixed (ushort* value = &node)
        {
            return ErrorOf(GetNumaProcessorNodeEx(&processor, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaProcessorNodeEx(ProcessorNumber* processor, ushort* node);
}
