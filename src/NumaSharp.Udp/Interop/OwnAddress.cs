using System.Buffers.Binary;
using System.Net;
using System.Runtime.InteropServices;

namespace NumaSharp.Udp.Sharding;

/// <summary>An IPv6 address, or an IPv4 address in its mapped form (RFC 4291, 2.5.5.2).</summary>
/// <param name="Value">The address.</param>
/// <param name="Interface">The interface of a link-local address, which is unique only there; else 0.</param>
internal readonly record struct OwnAddress(UInt128 Value, uint Interface)
{
    // In struct sockaddr_in and struct sockaddr_in6.
    private const int Offset4 = 4;
    private const int Offset6 = 8;
    private const int ScopeOffset = 24;

    /// <summary>::1, or one of 127.0.0.0/8.</summary>
    public bool IsLoopback => Value == UInt128.One || Value >> 24 == 0xffff7f;

    public static OwnAddress Of(IPAddress address)
    {
        Span<byte> bytes = stackalloc byte[16];
        address.MapToIPv6().TryWriteBytes(bytes, out _);
        return Of(bytes, address.IsIPv6LinkLocal ? (uint)address.ScopeId : 0);
    }

    /// <param name="address">A struct sockaddr_in (ip(7)), or sockaddr_in6 (ipv6(7)).</param>
    public static OwnAddress Of(ReadOnlySpan<byte> address) => address.Length > ScopeOffset
        ? Of(address[Offset6..ScopeOffset], MemoryMarshal.Read<uint>(address[ScopeOffset..]))
        : Of(MemoryMarshal.Read<uint>(address[Offset4..]));

    /// <param name="address">An IPv4 address, in network order.</param>
    public static OwnAddress Of(uint address) => new(
        new UInt128(0, (0xffffUL << 32) | (BitConverter.IsLittleEndian ? BinaryPrimitives.ReverseEndianness(address) : address)),
        0);

    /// <param name="address">The 16 bytes of an IPv6 address.</param>
    /// <param name="networkInterface">The interface that has it, or that received the datagram.</param>
    public static OwnAddress Of(ReadOnlySpan<byte> address, uint networkInterface)
    {
        var isLinkLocal = address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
        return new OwnAddress(BinaryPrimitives.ReadUInt128BigEndian(address), isLinkLocal ? networkInterface : 0);
    }
}
