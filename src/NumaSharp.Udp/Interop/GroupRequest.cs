using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Udp.Interop;

/// <summary>struct ip_mreqn (ip(7)).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct GroupRequest4
{
    private Address4 _group;
    public uint Local;
    public int Interface;

    [UnscopedRef]
    public Span<byte> Group => _group;
}

/// <summary>struct ipv6_mreq (ipv6(7)).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct GroupRequest6
{
    private Address16 _group;
    public int Interface;

    [UnscopedRef]
    public Span<byte> Group => _group;
}

/// <summary>struct in_addr.</summary>
[InlineArray(4)]
internal struct Address4
{
    private byte _first;
}

/// <summary>struct in6_addr.</summary>
[InlineArray(16)]
internal struct Address16
{
    private byte _first;
}
