using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

internal static partial class ProcessCalls
{
    /// <summary>Redirects standard input from /dev/null (dup2(2)); the copy has no O_CLOEXEC.</summary>
    public static SysResult EmptyStandardInput()
    {
        var opened = Native.OpenReadOnly("/dev/null");
        if (!opened.Succeeded)
        {
            return opened;
        }

        using var source = new SafeFileHandle((nint)opened.Value, ownsHandle: true);
        return SysResult.FromReturn(Duplicate((int)opened.Value, 0));
    }

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(int from, int to);
}
