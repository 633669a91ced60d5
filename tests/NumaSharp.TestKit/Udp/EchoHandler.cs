using NumaSharp.Udp;

namespace NumaSharp.TestKit;

/// <summary>Sends every datagram back.</summary>
public sealed class EchoHandler : IDatagramHandler
{
    public void OnBatch(in DatagramBatch batch)
    {
        foreach (var datagram in batch)
        {
            batch.Echo(datagram);
        }
    }
}
