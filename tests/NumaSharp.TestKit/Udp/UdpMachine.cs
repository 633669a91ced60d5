using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Udp;

namespace NumaSharp.TestKit;

/// <summary>A factory of datagram sockets for this machine, and what it logs.</summary>
public sealed class UdpMachine : IDisposable
{
    public static readonly IPEndPoint Loopback = new(IPAddress.Loopback, 0);

    private readonly NumaMemoryPool _pool = new(numaNodeId: 0);

    public UdpMachine(NumaUdpSocketFactoryOptions? options = null, Action? onLog = null)
    {
        Log = new RecordingLog(onLog);
        Plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 2 });
        options ??= new NumaUdpSocketFactoryOptions();
        options.Fallbacks = Fallbacks;
        Factory = new NumaUdpSocketFactory(Plan, options, loggerFactory: Log);
    }

    public NumaPlan Plan { get; }

    public NumaFallbacks Fallbacks { get; } = new();

    /// <summary>
    /// What its sockets do without. That memory is bound is not for them to have: an ordinary container refuses it.
    /// </summary>
    public IEnumerable<NumaFallback> SocketFallbacks => Fallbacks.Current.Where(
        static fallback => KernelMemory.BindRefusal is null || fallback.Feature != "memory.bind");

    public RecordingLog Log { get; }

    public NumaUdpSocketFactory Factory { get; }

    public NumaUdpSocket Bind(IDatagramHandler handler, Action<NumaUdpOptions>? configure = null, IPEndPoint? endPoint = null) =>
        Factory.Bind(endPoint ?? Loopback, handler, OptionsOf(configure));

    public NumaUdpSocket Bind(Action<NumaUdpOptions>? configure = null, IPEndPoint? endPoint = null) =>
        Factory.Bind(endPoint ?? Loopback, OptionsOf(configure));

    public NumaDatagramBatch NewBatch(int capacity = 32) => new(_pool, capacity);

    /// <summary>A socket of the BCL that is connected to ours; a receive fails after <see cref="Wait.Limit"/>.</summary>
    public static Socket ClientOf(NumaUdpSocket server, IPAddress? address = null)
    {
        ArgumentNullException.ThrowIfNull(server);
        var target = new IPEndPoint(address ?? server.LocalEndPoint.Address, server.LocalEndPoint.Port);
        var client = new Socket(target.AddressFamily, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds,
            ReceiveBufferSize = 4 << 20,
        };
        client.Connect(target);
        return client;
    }

    public static byte[] Bytes(int size, int seed = 0)
    {
        var bytes = new byte[size];
        new Random(size + (seed * 100_000)).NextBytes(bytes);
        return bytes;
    }

    public static NumaUdpShardStatistics SumOf(NumaUdpSocket socket) =>
        socket.GetStatistics().Aggregate(static (one, other) => one.Plus(other));

    /// <summary>Waits until the counters of all shards meet a condition.</summary>
    public static void Until(NumaUdpSocket socket, Func<NumaUdpShardStatistics, bool> condition) =>
        Wait.Until(() => condition(SumOf(socket)), () => $"{SumOf(socket)}");

    public void Dispose()
    {
        Factory.Dispose();
        _pool.Dispose();
        Assert.Empty(Factory.Sockets);
    }

    private static NumaUdpOptions OptionsOf(Action<NumaUdpOptions>? configure)
    {
        var options = new NumaUdpOptions();
        configure?.Invoke(options);
        return options;
    }
}
