using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>MEM_EXTENDED_PARAMETER (winnt.h): a type in the low 8 bits, and a value or a pointer to one.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct MemoryParameter(ulong type, ulong value)
{
    public const ulong AddressRequirementsType = 1;
    public const ulong NumaNodeType = 2;

    public readonly ulong Type = type;
    public readonly ulong Value = value;
}
