using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    private const int O_RDONLY = 0;
    private const int O_NOCTTY = 0x100;
    private const int O_NONBLOCK = 0x800;
    private const int O_CLOEXEC = 0x80000;

    /// <summary>
    /// open(2) for reading with O_NONBLOCK: the BCL's open waits for a writer when the file is a FIFO.
    /// </summary>
    public static SysResult OpenReadOnly(string path)
    {
        SysResult result;
        do
        {
            result = SysResult.FromReturn(Open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
        }
        while (result.IsInterrupted);
        return result;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);
}
