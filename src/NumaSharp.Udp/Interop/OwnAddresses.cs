using System.Buffers.Binary;
using System.Net;
using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Interop;

/// <summary>
/// The addresses a socket sends from: the one it is bound to, or, if bound to any address, loopback and the addresses of the
/// machine's interfaces. Thread-safe.
/// </summary>
internal sealed class OwnAddresses
{
    private readonly ushort _port;
    private readonly OwnAddress _bound;
    private readonly Func<(SysResult Result, HashSet<OwnAddress> Addresses)> _read;
    private HashSet<OwnAddress> _interfaces = [];
    private volatile bool _wasAsked;

    /// <param name="local">The address the socket is bound to.</param>
    /// <param name="read">Reads the addresses of the interfaces; the kernel's by default.</param>
    public OwnAddresses(IPEndPoint local, Func<(SysResult Result, HashSet<OwnAddress> Addresses)>? read = null)
    {
        _port = BitConverter.IsLittleEndian
            ? BinaryPrimitives.ReverseEndianness((ushort)local.Port)
            : (ushort)local.Port;
        _bound = OwnAddress.Of(local.Address);
        IsAny = PortBinding.IsWildcard(local.Address);
        _read = read ?? InterfaceAddresses.Read;
    }

    /// <summary>Whether the socket is bound to any address.</summary>
    public bool IsAny { get; }

    /// <summary>Reads the addresses of the machine's interfaces.</summary>
    /// <returns>The result of the call; if it failed, the addresses are unchanged.</returns>
    public SysResult Refresh()
    {
        if (!IsAny)
        {
            return default;
        }

        var (result, addresses) = _read();
        if (result.Succeeded)
        {
            Volatile.Write(ref _interfaces, addresses);
        }

        return result;
    }

    /// <summary>Refreshes if the addresses were used since the last time: reading them takes a while.</summary>
    public SysResult? RefreshIfAsked()
    {
        if (!_wasAsked)
        {
            return null;
        }

        _wasAsked = false;
        return Refresh();
    }

    /// <summary>
    /// Whether a source is one of them, with the socket's port. The ports are compared first, because they nearly always differ.
    /// </summary>
    /// <param name="address">In the kernel's form (struct sockaddr_in, ip(7); struct sockaddr_in6, ipv6(7)).</param>
    public bool HasSource(ReadOnlySpan<byte> address) =>
        address.Length > sizeof(uint) && MemoryMarshal.Read<ushort>(address[2..]) == _port && Has(OwnAddress.Of(address));

    /// <summary>Whether an address is one of them.</summary>
    public bool Has(OwnAddress address)
    {
        if (!IsAny)
        {
            return address == _bound;
        }

        if (address.IsLoopback)
        {
            return true;
        }

        // Not for each datagram: the loops of all nodes would write to the same cache line.
        if (!_wasAsked)
        {
            _wasAsked = true;
        }

        return Volatile.Read(ref _interfaces).Contains(address);
    }
}

/// <summary>The addresses of the machine's network interfaces (getifaddrs(3)).</summary>
internal static unsafe partial class InterfaceAddresses
{
    // sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6).
    private const int Size4 = 16;
    private const int Size6 = 28;

    /// <returns>The result of the call, and the addresses.</returns>
    public static (SysResult Result, HashSet<OwnAddress> Addresses) Read()
    {
        HashSet<OwnAddress> addresses = [];
        Interface* first = null;
        var result = SysResult.FromReturn(Get(&first));
        if (!result.Succeeded)
        {
            return (result, addresses);
        }

        for (var each = first; each is not null; each = each->Next)
        {
            if (each->Address is not null && SizeOf(*(ushort*)each->Address) is > 0 and var size)
            {
                addresses.Add(OwnAddress.Of(new ReadOnlySpan<byte>(each->Address, size)));
            }
        }

        Free(first);
        return (result, addresses);
    }

    private static int SizeOf(ushort family) => family switch
    {
        SocketCalls.AF_INET => Size4,
        SocketCalls.AF_INET6 => Size6,
        _ => 0,
    };

    [LibraryImport("libc", EntryPoint = "getifaddrs", SetLastError = true)]
    private static partial int Get(Interface** first);

    [LibraryImport("libc", EntryPoint = "freeifaddrs")]
    private static partial void Free(Interface* first);

    /// <summary>struct ifaddrs of 64-bit Linux, without the unused fields.</summary>
    [StructLayout(LayoutKind.Explicit)]
    private readonly struct Interface
    {
        [FieldOffset(0)]
        public readonly Interface* Next;

        [FieldOffset(24)]
        public readonly byte* Address;
    }
}

/// <summary>An IPv6 address, or an IPv4 address in its mapped form (RFC 4291, 2.5.5.2).</summary>
/// <param name="Value">The address.</param>
/// <param name="Interface">The interface of a link-local address, which is unique only there; otherwise 0.</param>
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
