using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    public const int MADV_DONTNEED = 4;
    public const int MADV_HUGEPAGE = 14;
    public const int MADV_NOHUGEPAGE = 15;

    /// <summary>madvise(2).</summary>
    public static SysResult Advise(nint address, nuint length, int advice)
    {
        SysResult result;
        do
        {
            result = SysResult.FromReturn(Madvise(address, length, advice));
        }
        while (result.IsInterrupted);

        return result;
    }

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Madvise(nint address, nuint length, int advice);
}
