using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <summary>A datagram of a batch. Valid as long as the batch's content: using it afterwards throws.</summary>
public readonly unsafe ref struct Datagram
{
    private readonly NumaDatagramBatch _batch;
    private readonly int _version;
    private readonly int _offset;

    internal Datagram(NumaDatagramBatch batch, int version, int message, int offset, int length)
    {
        _batch = batch;
        _version = version;
        Message = message;
        _offset = offset;
        Length = length;
    }

    /// <summary>The length in bytes, 0 to 65,535.</summary>
    public int Length { get; }

    /// <summary>The bytes, in the memory of the batch.</summary>
    /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
    public Span<byte> Payload => Batch.PayloadOf(Message, _offset, Length);

    /// <summary>
    /// The sender's address in the kernel's form (struct sockaddr_in, ip(7); struct sockaddr_in6, ipv6(7)), to pass back when
    /// sending.
    /// </summary>
    /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
    public ReadOnlySpan<byte> RemoteAddress => Batch.AddressOf(Message);

    /// <summary>
    /// The traffic class: DSCP in the upper six bits, ECN in the lower two (RFC 2474, RFC 3168). <see langword="null"/> unless
    /// <see cref="NumaUdpOptions.ReceiveTrafficClass"/> is set.
    /// </summary>
    /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
    public byte? TrafficClass
    {
        get
        {
            var v4 = Batch.FindControl(Message, UdpCalls.IPPROTO_IP, UdpCalls.IP_TOS, sizeof(byte));
            if (v4 is not null)
            {
                return *v4;
            }

            var v6 = _batch.FindControl(Message, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_TCLASS, sizeof(int));
            return v6 is null ? null : (byte)Unsafe.ReadUnaligned<int>(v6);
        }
    }

    /// <summary>
    /// When the kernel received it, in nanoseconds since 1970 (SO_TIMESTAMPNS, socket(7)); for joined datagrams, the first one's
    /// time. <see langword="null"/> unless <see cref="NumaUdpOptions.Timestamps"/> is set.
    /// </summary>
    /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
    public long? TimestampNanoseconds
    {
        get
        {
            var time = Batch.FindControl(
                Message, SocketCalls.SOL_SOCKET, UdpCalls.SO_TIMESTAMPNS, 2 * sizeof(long));
            return time is null
                ? null
                : (Unsafe.ReadUnaligned<long>(time) * 1_000_000_000) + Unsafe.ReadUnaligned<long>(time + sizeof(long));
        }
    }

    internal int Message { get; }

    internal NumaDatagramBatch Batch
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            _batch.CheckVersion(_version);
            return _batch;
        }
    }

    internal byte* Pointer => (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(Payload));

    /// <summary>
    /// The address it was sent to, if the kernel reports it (<see cref="NumaUdpOptions.PacketInfo"/>). Allocates.
    /// </summary>
    /// <returns>The address, or <see langword="null"/>.</returns>
    /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
    public IPAddress? GetDestination()
    {
        // An IPv6 socket may report an IPv4 address in both forms: here it is the mapped one, as in the sender's address.
        var v6 = Batch.FindControl(Message, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_PKTINFO, sizeof(PacketInfo6));
        if (v6 is not null)
        {
            return new IPAddress(new ReadOnlySpan<byte>(v6, 16));
        }

        var v4 = _batch.FindControl(Message, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, sizeof(PacketInfo4));
        return v4 is null ? null : new IPAddress(Unsafe.ReadUnaligned<PacketInfo4>(v4).Destination);
    }

    /// <summary>The sender as an object. Allocates; meant for logs and the like.</summary>
    /// <returns>The address and port.</returns>
    /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
    public IPEndPoint GetRemoteEndPoint()
    {
        var address = RemoteAddress;
        var family = address.Length == 16 ? AddressFamily.InterNetwork : AddressFamily.InterNetworkV6;
        return (IPEndPoint)SocketHandle.Decode(
            new IPEndPoint(family == AddressFamily.InterNetwork ? IPAddress.Any : IPAddress.IPv6Any, 0), address);
    }
}
