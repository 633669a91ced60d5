using System.Collections.Concurrent;
using System.Net.Sockets;
using NumaSharp.Udp;

namespace NumaSharp.TestKit;

/// <summary>What a <see cref="LambdaHandler"/> does with a batch.</summary>
public delegate void OnBatch(in DatagramBatch batch);

/// <summary>A handler of datagrams that is one line of a test.</summary>
public sealed class LambdaHandler(OnBatch onBatch) : IDatagramHandler
{
    /// <summary>For sockets of which only the counters matter.</summary>
    public static LambdaHandler Ignoring { get; } = new(static (in DatagramBatch _) => { });

    public ConcurrentQueue<SocketError> Errors { get; } = new();

    public void OnBatch(in DatagramBatch batch) => onBatch(batch);

    public void OnError(SocketError reason) => Errors.Enqueue(reason);
}
