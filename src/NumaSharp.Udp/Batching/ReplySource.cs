using System.Runtime.CompilerServices;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Batching;

/// <summary>
/// The address that an answer must come from, where the machine has several: the one that the datagram was sent to. As the
/// control message that a send takes (IP_PKTINFO, ip(7); IPV6_PKTINFO, ipv6(7)).
/// </summary>
internal static unsafe class ReplySource
{
    /// <summary>The size of either message, at the most.</summary>
    public const int MaxSize = 40;

    /// <summary>Writes it for a message that was received.</summary>
    /// <returns>Its length; 0 when the kernel has not said, or there is none (multicast).</returns>
    public static int Of(NumaDatagramBatch batch, int message, Span<byte> target)
    {
        fixed (byte* control = target)
        {
            var v4 = batch.FindControl(message, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, sizeof(PacketInfo4));
            if (v4 is not null)
            {
                return Write(control, Unsafe.ReadUnaligned<PacketInfo4>(v4));
            }

            var v6 = batch.FindControl(message, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_PKTINFO, sizeof(PacketInfo6));
            return v6 is null ? 0 : Write(control, Unsafe.ReadUnaligned<PacketInfo6>(v6));
        }
    }

    // Without the interface: routing chooses it, as for every other packet.
    private static int Write(byte* control, PacketInfo4 received) => ControlMessage.Write(
        control, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, new PacketInfo4 { Local = received.Local });

    private static int Write(byte* control, PacketInfo6 received)
    {
        ReadOnlySpan<byte> address = received.Address;
        if (address[0] == 0xff)
        {
            return 0;
        }

        // A link-local address is one of an interface.
        var isLinkLocal = address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
        received.Interface = isLinkLocal ? received.Interface : 0;
        return ControlMessage.Write(
            control, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_PKTINFO, received);
    }
}
