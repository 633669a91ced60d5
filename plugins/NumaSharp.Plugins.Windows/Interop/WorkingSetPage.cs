using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

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
