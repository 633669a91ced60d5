using System.Runtime.CompilerServices;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Batching;

/// <summary>
/// The source address of a reply, on a machine with several: the address that the datagram was sent to. In the form of a send's
/// control message (IP_PKTINFO, ip(7); IPV6_PKTINFO, ipv6(7)).
/// </summary>
internal static unsafe class ReplySource
{
    /// <summary>The maximum size of either message.</summary>
    public const int MaxSize = 40;

    /// <summary>Writes the control message for a reply to a received message.</summary>
    /// <returns>Its length; 0 if the kernel did not report the address, or it is a multicast address.</returns>
    public static int Of(NumaDatagramBatch batch, int message, Span<byte> target)
    {
        fixed (byte* control = target)
        {
            // First: for a broadcast or a group, the other one has that address, which no packet may come from.
            var v4 = batch.FindControl(message, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, sizeof(PacketInfo4));
            if (v4 is not null)
            {
                return Write(control, Unsafe.ReadUnaligned<PacketInfo4>(v4));
            }

            var v6 = batch.FindControl(message, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_PKTINFO, sizeof(PacketInfo6));
            return v6 is null ? 0 : Write(control, Unsafe.ReadUnaligned<PacketInfo6>(v6));
        }
    }

    // Without the interface: routing chooses it, as for every other packet. The kernel ignores the destination, which stays
    // readable after the batch is sent back.
    private static int Write(byte* control, PacketInfo4 received) => ControlMessage.Write(
        control, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, received with { Interface = 0 });

    private static int Write(byte* control, PacketInfo6 received)
    {
        ReadOnlySpan<byte> address = received.Address;
        if (address[0] == 0xff)
        {
            return 0;
        }

        // A link-local address is valid only on its interface.
        var isLinkLocal = address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
        received.Interface = isLinkLocal ? received.Interface : 0;
        return ControlMessage.Write(
            control, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_PKTINFO, received);
    }
}
