using NumaSharp.Udp;

namespace NumaSharp.Playground.Udp;

/// <summary>Sends back what comes (RFC 862).</summary>
internal sealed class EchoHandler : IDatagramHandler
{
    public void OnBatch(in DatagramBatch batch)
    {
        foreach (var datagram in batch)
        {
            batch.Echo(datagram);
        }
    }
}
