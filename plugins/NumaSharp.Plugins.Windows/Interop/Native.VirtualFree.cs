using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private const uint MEM_DECOMMIT = 0x4000;
    private const uint MEM_RELEASE = 0x8000;
    private const uint MEM_PRESERVE_PLACEHOLDER = 0x2;

    /// <summary>Releases pages and keeps the address space.</summary>
    public static int Decommit(nint address, nuint size) => ErrorOf(VirtualFree(address, size, MEM_DECOMMIT));

    /// <summary>Releases a whole region, including its address space.</summary>
    public static int Free(nint address) => ErrorOf(VirtualFree(address, 0, MEM_RELEASE));

    /// <summary>Splits a placeholder off a larger one, or turns a region back into a placeholder.</summary>
    public static int CutPlaceholder(nint address, nuint size) =>
        ErrorOf(VirtualFree(address, size, MEM_RELEASE | MEM_PRESERVE_PLACEHOLDER));

    [LibraryImport(Kernel32, SetLastError = true)]
    private static partial int VirtualFree(nint address, nuint size, uint type);
}
