using System.Buffers.Binary;
using System.Net;
using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Sharding;

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
        IsAny = local.Address.Equals(IPAddress.Any) || local.Address.Equals(IPAddress.IPv6Any);
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
