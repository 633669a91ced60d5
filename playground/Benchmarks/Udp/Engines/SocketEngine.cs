using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>Common to the BCL engines: a socket, and a loop on the thread pool.</summary>
internal abstract class SocketEngine : IUdpEngine
{
    protected const int LargestDatagram = 65_507;

    private long _datagrams;

    protected SocketEngine(IPAddress address) => Socket.Bind(new IPEndPoint(address, 0));

    public IPEndPoint EndPoint => (IPEndPoint)Socket.LocalEndPoint!;

    public long Datagrams => Volatile.Read(ref _datagrams);

    protected Socket Socket { get; } = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    public virtual void Start(bool isEcho) => _ = Task.Run(() => RunAsync(isEcho));

    public async Task SendAsync(IPEndPoint target, int size, TimeSpan length)
    {
        // Reading the clock for each datagram would count in the measurement.
        const int BetweenLooks = 64;
        var payload = GC.AllocateArray<byte>(size, pinned: true);
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            for (var i = 0; i < BetweenLooks; i++)
            {
                await SendOneAsync(target, payload);
                Count();
            }
        }
    }

    public virtual void Dispose() => Socket.Dispose();

    /// <summary>Receives until the socket is closed, and calls <see cref="Count"/> for each.</summary>
    protected abstract Task RunAsync(bool isEcho);

    protected abstract ValueTask SendOneAsync(IPEndPoint target, byte[] payload);

    // One loop writes.
    protected void Count() => Volatile.Write(ref _datagrams, _datagrams + 1);
}
