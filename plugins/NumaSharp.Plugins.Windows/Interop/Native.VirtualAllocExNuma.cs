using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private const uint MEM_COMMIT = 0x1000;
    private const uint MEM_RESERVE = 0x2000;
    private const uint PAGE_NOACCESS = 0x01;
    private const uint PAGE_READWRITE = 0x04;
    private const uint NUMA_NO_PREFERRED_NODE = uint.MaxValue;

    /// <summary>
    /// Reserves address space with a preferred node for its pages; for address 0 the system chooses the address.
    /// </summary>
    public static int Reserve(nint address, nuint size, int? node, out nint reserved)
    {
        reserved = VirtualAllocExNuma(CurrentProcess, address, size, MEM_RESERVE, PAGE_NOACCESS, Preferred(node));
        return ErrorOf(reserved);
    }

    public static int Commit(nint address, nuint size, int? node) =>
        ErrorOf(VirtualAllocExNuma(CurrentProcess, address, size, MEM_COMMIT, PAGE_READWRITE, Preferred(node)));

    private static uint Preferred(int? node) => (uint?)node ?? NUMA_NO_PREFERRED_NODE;

    [LibraryImport(Kernel32, SetLastError = true)]
    private static partial nint VirtualAllocExNuma(
        nint process, nint address, nuint size, uint type, uint protection, uint node);
}
