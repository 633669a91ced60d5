using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>MEM_ADDRESS_REQUIREMENTS (winnt.h); no limits where 0.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct AddressRequirements(nuint alignment)
{
    public readonly nint Lowest = 0;
    public readonly nint Highest = 0;
    public readonly nuint Alignment = alignment;
}
