using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static partial class Native
{
    /// <summary>munmap(2).</summary>
    public static SysResult Unmap(nint address, nuint length) => SysResult.FromReturn(Munmap(address, length));

    /// <summary>
    /// Gives back what lies before and after a part of a mapping. Can fail with ENOMEM when the process is at vm.max_map_count.
    /// </summary>
    public static SysResult UnmapAround(nint start, nuint length, nint keep, nuint keepLength)
    {
        var head = (nuint)(keep - start);
        var tail = length - head - keepLength;
        var result = head > 0 ? Unmap(start, head) : SysResult.FromReturn(0);
        return result.Succeeded && tail > 0 ? Unmap(keep + (nint)keepLength, tail) : result;
    }

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Munmap(nint address, nuint length);
}
