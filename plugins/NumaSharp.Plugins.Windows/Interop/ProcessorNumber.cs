using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>PROCESSOR_NUMBER (winnt.h): a CPU of a processor group.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct ProcessorNumber
{
    public readonly ushort Group;
    public readonly byte Number;
    private readonly byte _reserved;

    public ProcessorNumber(ushort group, byte number)
    {
        Group = group;
        Number = number;
    }
}
