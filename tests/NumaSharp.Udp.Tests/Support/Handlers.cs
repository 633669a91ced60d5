using System.Collections.Concurrent;
using System.Net.Sockets;

namespace NumaSharp.Udp.Tests.Support;

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

internal delegate void OnBatch(in DatagramBatch batch);

internal sealed class LambdaHandler(OnBatch onBatch) : IDatagramHandler
{
    public ConcurrentQueue<SocketError> Errors { get; } = new();

    public void OnBatch(in DatagramBatch batch) => onBatch(batch);

    public void OnError(SocketError reason) => Errors.Enqueue(reason);
}
