using System.Buffers.Binary;
using NumaSharp.Udp;

namespace NumaSharp.Playground.Udp;

/// <summary>
/// Sends back what comes (RFC 862), but not to its own port: such a datagram can be forged, and two echoes would send
/// it to each other for ever. Clients have other ports.
/// </summary>
internal sealed class EchoHandler : IDatagramHandler
{
    // As in struct sockaddr_in and sockaddr_in6 (ip(7), ipv6(7)).
    private const int PortOffset = 2;

    public void OnBatch(in DatagramBatch batch)
    {
        var own = batch.Shard.LocalEndPoint.Port;
        foreach (var datagram in batch)
        {
            if (BinaryPrimitives.ReadUInt16BigEndian(datagram.RemoteAddress[PortOffset..]) != own)
            {
                batch.Echo(datagram);
            }
        }
    }
}
