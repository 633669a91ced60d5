using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace NumaSharp.Interop;

internal static partial class Native
{
    private const int O_RDONLY = 0;
    private const int O_CLOEXEC = 0x80000;

    /// <summary>Makes standard input /dev/null (dup2(2)); the copy has no O_CLOEXEC.</summary>
    public static SysResult EmptyStandardInput()
    {
        var opened = SysResult.FromReturn(Open("/dev/null", O_RDONLY | O_CLOEXEC));
        if (!opened.Succeeded)
        {
            return opened;
        }

        using var source = new SafeFileHandle((nint)opened.Value, ownsHandle: true);
        return SysResult.FromReturn(Duplicate((int)opened.Value, 0));
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(int from, int to);
}
