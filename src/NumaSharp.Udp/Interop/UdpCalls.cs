using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Interop;

/// <summary>The system calls of datagram sockets, as the C library declares them; same numbers on x64 and arm64.</summary>
internal static unsafe partial class UdpCalls
{
    public const int SO_BROADCAST = 6;
    public const int SO_ATTACH_FILTER = 26;
    public const int SO_TIMESTAMPNS = 35;
    public const int SO_MEMINFO = 55;

    /// <summary>SK_MEMINFO_DROPS and SK_MEMINFO_VARS (linux/sock_diag.h).</summary>
    public const int MemoryDrops = 8;
    public const int MemoryValues = 9;

    public const int IPPROTO_IP = 0;
    public const int IP_TOS = 1;
    public const int IP_TTL = 2;
    public const int IP_PKTINFO = 8;
    public const int IP_MTU_DISCOVER = 10;
    public const int IP_RECVTOS = 13;
    public const int IP_MULTICAST_TTL = 33;
    public const int IP_MULTICAST_LOOP = 34;
    public const int IP_ADD_MEMBERSHIP = 35;
    public const int IP_DROP_MEMBERSHIP = 36;
    public const int IP_MULTICAST_ALL = 49;

    /// <summary>IP_PMTUDISC_DONT and IP_PMTUDISC_DO; the same values for IPv6.</summary>
    public const int MtuDiscoveryOff = 0;
    public const int MtuDiscoveryOn = 2;

    public const int IPV6_UNICAST_HOPS = 16;
    public const int IPV6_MULTICAST_HOPS = 18;
    public const int IPV6_MULTICAST_LOOP = 19;
    public const int IPV6_ADD_MEMBERSHIP = 20;
    public const int IPV6_DROP_MEMBERSHIP = 21;
    public const int IPV6_MTU_DISCOVER = 23;
    public const int IPV6_MULTICAST_ALL = 29;
    public const int IPV6_RECVPKTINFO = 49;
    public const int IPV6_PKTINFO = 50;
    public const int IPV6_RECVTCLASS = 66;
    public const int IPV6_TCLASS = 67;

    public const int SOL_UDP = 17;
    public const int UDP_SEGMENT = 103;
    public const int UDP_GRO = 104;

    public const int MSG_CTRUNC = 0x8;
    public const int MSG_TRUNC = 0x20;

    public const int CLOCK_MONOTONIC = 1;
    public const int TFD_NONBLOCK = 0x800;
    public const int TFD_CLOEXEC = 0x80000;

    [LibraryImport("libc", EntryPoint = "recvmmsg", SetLastError = true)]
    public static partial int ReceiveMessages(int fd, MultiMessage* messages, uint count, int flags, void* timeout);

    [LibraryImport("libc", EntryPoint = "sendmmsg", SetLastError = true)]
    public static partial int SendMessages(int fd, MultiMessage* messages, uint count, int flags);

    [LibraryImport("libc", EntryPoint = "timerfd_create", SetLastError = true)]
    public static partial int CreateTimer(int clock, int flags);

    [LibraryImport("libc", EntryPoint = "timerfd_settime", SetLastError = true)]
    public static partial int SetTimer(int fd, int flags, TimerSpecification* value, void* previous);

    /// <summary>struct itimerspec (timerfd_create(2)) of 64-bit Linux.</summary>
    public struct TimerSpecification
    {
        public long IntervalSeconds;
        public long IntervalNanoseconds;
        public long FirstSeconds;
        public long FirstNanoseconds;
    }
}

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

/// <summary>struct mmsghdr (recvmmsg(2), sendmmsg(2)) of 64-bit Linux.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct MultiMessage
{
    public MessageHeader Header;

    /// <summary>The number of bytes received or sent.</summary>
    public uint Length;
}
