using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    /// <summary>munmap(2).</summary>
    public static SysResult Unmap(nint address, nuint length) => SysResult.FromReturn(Munmap(address, length));

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Munmap(nint address, nuint length);
}
