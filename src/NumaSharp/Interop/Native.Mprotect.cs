using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    /// <summary>mprotect(2).</summary>
    public static SysResult Protect(nint address, nuint length, int protection) =>
        SysResult.FromReturn(Mprotect(address, length, protection));

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Mprotect(nint address, nuint length, int protection);
}
