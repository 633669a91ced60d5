using System.Runtime.InteropServices;

namespace NumaSharp.Udp.Interop;

/// <summary>struct in_pktinfo (ip(7)).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PacketInfo4
{
    public int Interface;

    /// <summary>For a datagram to a group: the address of this machine that received it; for a send: the source.</summary>
    public uint Local;

    public uint Destination;
}

/// <summary>struct in6_pktinfo (ipv6(7)).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PacketInfo6
{
    public Address16 Address;
    public int Interface;
}
