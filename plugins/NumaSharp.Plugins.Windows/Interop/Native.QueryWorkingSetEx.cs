using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    public static unsafe int QueryPage(nint address, out WorkingSetPage page)
    {
        var value = new WorkingSetPage(address);
        var error = ErrorOf(K32QueryWorkingSetEx(CurrentProcess, &value, (uint)sizeof(WorkingSetPage)));
        page = value;
        return error;
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int K32QueryWorkingSetEx(nint process, WorkingSetPage* pages, uint length);
}
