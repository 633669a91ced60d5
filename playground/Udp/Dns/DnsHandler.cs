using NumaSharp.Udp;

namespace NumaSharp.Playground.Udp.Dns;

/// <summary>An authoritative server of one zone (RFC 1035), without recursion, transfers or DNSSEC.</summary>
internal sealed class DnsHandler(DnsZone zone) : IDatagramHandler
{
    public void OnBatch(in DatagramBatch batch)
    {
        Span<byte> answer = stackalloc byte[DnsMessage.LargestAnswer];
        foreach (var datagram in batch)
        {
            if (DnsResponder.Answer(zone, datagram.Payload, answer) is > 0 and var length)
            {
                batch.Reply(datagram, answer[..length]);
            }
        }
    }
}
