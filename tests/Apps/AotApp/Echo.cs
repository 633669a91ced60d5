using NumaSharp.Udp;

namespace NumaSharp.AotApp;

/// <summary>Sends back what comes.</summary>
internal sealed class Echo : IDatagramHandler
{
    public void OnBatch(in DatagramBatch batch)
    {
        foreach (var datagram in batch)
        {
            batch.Echo(datagram);
        }
    }
}
