using System.Diagnostics;
using System.Net;
using NumaSharp.Core;
using NumaSharp.Udp;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>Ours: a shard per loop, of which there is one per CPU of the process.</summary>
internal sealed class NumaEngine : IUdpEngine
{
    private readonly NumaUdpSocketFactory _factory = new(NumaPlan.Create(NumaTopology.Instance));
    private readonly NumaUdpOptions _options;
    private readonly NumaUdpSocket _socket;
    private IDatagramHandler _handler = new CountHandler();
    private long _sent;

    /// <param name="address">Where it is bound.</param>
    /// <param name="offload">Whether the kernel joins and cuts.</param>
    /// <param name="coalesceDelay">How long datagrams wait for others.</param>
    public NumaEngine(IPAddress address, bool offload, TimeSpan coalesceDelay = default)
    {
        _options = new NumaUdpOptions { Gso = offload, Gro = offload, CoalesceDelay = coalesceDelay };
        _socket = _factory.Bind(new IPEndPoint(address, 0), new ForwardingHandler(this), _options);
    }

    public IPEndPoint EndPoint => _socket.LocalEndPoint;

    public long Datagrams
    {
        get
        {
            var sent = Volatile.Read(ref _sent);
            return sent > 0 ? sent : _socket.GetStatistics().Sum(static shard => shard.ReceivedDatagrams);
        }
    }

    public void Start(bool isEcho) => Volatile.Write(ref _handler, isEcho ? new EchoHandler() : new CountHandler());

    // From the loop, as a handler would: the first receive that is waited for is what brings the code there.
    public async Task SendAsync(IPEndPoint target, int size, TimeSpan length)
    {
        var sender = _factory.Connect(target, _options).Shards[0];
        using var batch = sender.CreateBatch();
        var payload = new byte[size];
        Fill(batch, payload);
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            Volatile.Write(ref _sent, _sent + await sender.SendAsync(batch));
        }
    }

    public void Dispose() => _factory.Dispose();

    // 32 datagrams: as messages of their own without the kernel's help, as one with it.
    private void Fill(NumaDatagramBatch batch, byte[] payload)
    {
        for (var i = 0; i < _options.BatchSize && batch.TryAdd([], payload); i++)
        {
        }
    }

    private sealed class ForwardingHandler(NumaEngine engine) : IDatagramHandler
    {
        public void OnBatch(in DatagramBatch batch) => engine._handler.OnBatch(batch);
    }

    private sealed class CountHandler : IDatagramHandler
    {
        /// <summary>Keeps what is read from being optimized away.</summary>
        public long Touched { get; private set; }

        public void OnBatch(in DatagramBatch batch)
        {
            foreach (var datagram in batch)
            {
                Touched += datagram.Payload[0] + datagram.RemoteAddress[2];
            }
        }
    }

    private sealed class EchoHandler : IDatagramHandler
    {
        public void OnBatch(in DatagramBatch batch)
        {
            foreach (var datagram in batch)
            {
                batch.Echo(datagram);
            }
        }
    }
}
