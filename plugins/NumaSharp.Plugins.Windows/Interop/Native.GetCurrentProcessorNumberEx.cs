using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe ProcessorNumber GetCurrentProcessorNumber()
    {
        ProcessorNumber number;
        GetCurrentProcessorNumberEx(&number);
        return number;
    }

    [LibraryImport(Kernel32)]
    private static unsafe partial void GetCurrentProcessorNumberEx(ProcessorNumber* number);
}
