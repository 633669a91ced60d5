using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private const uint MEM_REPLACE_PLACEHOLDER = 0x4000;
    private const uint MEM_RESERVE_PLACEHOLDER = 0x40000;

    private static readonly bool s_hasVirtualAlloc2 = HasExport(KernelBase, nameof(VirtualAlloc2));

    /// <summary>Reserves address space for regions to be placed later; since Windows 10, version 1803.</summary>
    public static unsafe int ReservePlaceholder(nuint size, nuint alignment, out nint reserved)
    {
        reserved = 0;
        if (!s_hasVirtualAlloc2)
        {
            return Win32Error.ERROR_PROC_NOT_FOUND;
        }

        var requirements = new AddressRequirements(alignment);
        var parameter = new MemoryParameter(MemoryParameter.AddressRequirementsType, (ulong)&requirements);
        reserved = VirtualAlloc2(
            CurrentProcess, 0, size, MEM_RESERVE | MEM_RESERVE_PLACEHOLDER, PAGE_NOACCESS, &parameter, 1);
        return ErrorOf(reserved);
    }

    /// <summary>Turns a placeholder, of exactly this extent, into a region with a preferred node for its pages.</summary>
    public static unsafe int ReplacePlaceholder(nint address, nuint size, int? node)
    {
        var parameter = new MemoryParameter(MemoryParameter.NumaNodeType, (ulong)node.GetValueOrDefault());
        return ErrorOf(VirtualAlloc2(
            CurrentProcess,
            address,
            size,
            MEM_RESERVE | MEM_REPLACE_PLACEHOLDER,
            PAGE_NOACCESS,
            node is null ? null : &parameter,
            node is null ? 0u : 1u));
    }

    [LibraryImport(KernelBase, SetLastError = true)]
    private static unsafe partial nint VirtualAlloc2(
        nint process, nint address, nuint size, uint type, uint protection, MemoryParameter* parameters, uint count);
}
