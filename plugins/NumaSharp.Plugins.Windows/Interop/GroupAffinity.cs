using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>GROUP_AFFINITY (winnt.h): CPUs of one processor group.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct GroupAffinity
{
    public readonly nuint Mask;
    public readonly ushort Group;

    // Must be 0, or SetThreadGroupAffinity refuses.
    private readonly ushort _reserved0;
    private readonly ushort _reserved1;
    private readonly ushort _reserved2;

    public GroupAffinity(ushort group, ulong mask)
    {
        Mask = (nuint)mask;
        Group = group;
    }
}
