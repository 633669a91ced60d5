using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Sends back what comes.</summary>
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
