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

    public static unsafe int QueryPage(nint address, out WorkingSetPage page)
    {
        var value = new WorkingSetPage(address);
        var error = ErrorOf(K32QueryWorkingSetEx(CurrentProcess, &value, (uint)sizeof(WorkingSetPage)));
        page = value;
        return error;
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int K32QueryWorkingSetEx(nint process, WorkingSetPage* pages, uint length);

    public static unsafe int GlobalMemoryStatusEx(out MemoryStatus status)
    {
        status = new MemoryStatus { Length = (uint)sizeof(MemoryStatus) };
        fixed (MemoryStatus* value = &status)
        {
            return ErrorOf(GlobalMemoryStatusEx(value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GlobalMemoryStatusEx(MemoryStatus* status);

    public static unsafe int GetNumaAvailableMemoryNodeEx(ushort node, out ulong bytes)
    {
        fixed (ulong* value = &bytes)
        {
            return ErrorOf(GetNumaAvailableMemoryNodeEx(node, value));
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetNumaAvailableMemoryNodeEx(ushort node, ulong* bytes);
}

/// <summary>MEMORYSTATUSEX (sysinfoapi.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct MemoryStatus
{
    /// <summary>Must be set to the structure's size before the call.</summary>
    public uint Length;
    public uint MemoryLoad;
    public ulong TotalPhysical;
    public ulong AvailablePhysical;
    public ulong TotalPageFile;
    public ulong AvailablePageFile;
    public ulong TotalVirtual;
    public ulong AvailableVirtual;
    public ulong AvailableExtendedVirtual;
}

/// <summary>PSAPI_WORKING_SET_EX_INFORMATION (psapi.h): an address, and the attributes of its page.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct WorkingSetPage(nint address, nuint attributes = 0)
{
    public readonly nint Address = address;

    // Valid in bit 0, the node in bits 16 to 21 (PSAPI_WORKING_SET_EX_BLOCK).
    public readonly nuint Attributes = attributes;

    /// <summary>The node of the page, or -1 if it is not in memory.</summary>
    public int NodeId => (Attributes & 1) == 0 ? -1 : (int)(Attributes >> 16) & 0x3F;
}

/// <summary>MEM_EXTENDED_PARAMETER (winnt.h): a type in the low 8 bits, and a value or a pointer to one.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct MemoryParameter(ulong type, ulong value)
{
    public const ulong AddressRequirementsType = 1;
    public const ulong NumaNodeType = 2;

    public readonly ulong Type = type;
    public readonly ulong Value = value;
}

/// <summary>MEM_ADDRESS_REQUIREMENTS (winnt.h); no limits where 0.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct AddressRequirements(nuint alignment)
{
    public readonly nint Lowest = 0;
    public readonly nint Highest = 0;
    public readonly nuint Alignment = alignment;
}
