using System.Collections.Immutable;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Interop;
using NumaSharp.Udp.Sharding;

namespace NumaSharp.Udp;

/// <summary>
/// A datagram socket with one shard per event loop, or node (SO_REUSEPORT, socket(7)): datagrams arriving on a node stay there.
/// Created by a <see cref="NumaUdpSocketFactory"/>. Thread-safe.
/// </summary>
public sealed partial class NumaUdpSocket : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly NumaUdpSocketFactory _factory;
    private readonly SocketOpener _opener;
    private readonly int[] _loopOfShard;
    private readonly IReadOnlyList<NumaEventLoop> _loops;
    private readonly SegmentationOffload _offload;

    // Not the objects that callers have: end points can be changed.
    private readonly IPEndPoint _local;

    // The shards in the order in which the kernel numbers their sockets.
    private readonly List<int> _order = [];
    private SteeringTable? _steering;

    // Logged once.
    private bool _isWithoutAddresses;

    internal NumaUdpSocket(
        NumaUdpSocketFactory factory,
        IPEndPoint local,
        IPEndPoint? remote,
        NumaUdpOptions options,
        IReadOnlyList<NumaEventLoop> loops,
        int[] loopOfShard,
        Func<NumaUdpShard, IDatagramHandler>? handlerOf)
    {
        _factory = factory;
        _loops = loops;
        _loopOfShard = loopOfShard;
        Options = options;
        RemoteEndPoint = remote is null ? null : EndPointCache.Snapshot(remote);
        _opener = new SocketOpener(
            options, local, remote is null ? null : EndPointCache.Snapshot(remote), factory.Fallbacks, connected: factory);
        _local = local;
        List<DatagramSocket> sockets = [];
        List<NumaUdpShard> shards = [];
        try
        {
            for (var i = 0; i < loopOfShard.Length; i++)
            {
                sockets.Add(_opener.Open(_local, isFirst: i == 0 && !options.SharePort, IsGroup, out _local));
            }

            LocalEndPoint = EndPointCache.Snapshot(_local);

            if (remote is null && (options.DropOwnSource ?? !options.SharePort))
            {
                OwnAddresses = new OwnAddresses(LocalEndPoint);
                OnAddressesRead(OwnAddresses.Refresh());
            }

            ReceiveBufferSize = SizeOf(sockets[0], SocketCalls.SO_RCVBUF);
            SendBufferSize = SizeOf(sockets[0], SocketCalls.SO_SNDBUF);
            _offload = new SegmentationOffload(_opener.CutsSends, OnCutRefused);
            for (var i = 0; i < sockets.Count; i++)
            {
                var loop = loops[loopOfShard[i]];
                shards.Add(new NumaUdpShard(
                    this, i, loop, factory.PoolOf(loop), sockets[i], _offload, handlerOf));
                _order.Add(i);
            }
        }
        catch
        {
            shards.ForEach(static shard => shard.Close());
            sockets.ForEach(static socket => socket.Dispose());
            _opener.Fallbacks.EndAll();
            throw;
        }

        Shards = [.. shards];
    }

    /// <summary>The address and port it is bound to.</summary>
    public IPEndPoint LocalEndPoint { get; }

    /// <summary>The peer of a connected socket; <see langword="null"/> otherwise.</summary>
    public IPEndPoint? RemoteEndPoint { get; }

    /// <summary>The shards, node by node.</summary>
    public ImmutableArray<NumaUdpShard> Shards { get; }

    /// <summary>The receive buffer in bytes granted by the kernel to each shard, without its own overhead.</summary>
    public int ReceiveBufferSize { get; }

    /// <summary>The send buffer in bytes granted by the kernel to each shard, without its own overhead.</summary>
    public int SendBufferSize { get; }

    /// <summary>Whether the kernel segments sent messages (<see cref="NumaUdpOptions.Gso"/>); stays false once false.</summary>
    public bool UsesGso => _offload.IsOn;

    /// <summary>Whether the kernel joins received datagrams (<see cref="NumaUdpOptions.Gro"/>).</summary>
    public bool UsesGro => _opener.JoinsReceives;

    internal NumaUdpOptions Options { get; }

    /// <summary>Datagrams from these addresses are dropped; <see langword="null"/> to drop none.</summary>
    internal OwnAddresses? OwnAddresses { get; }

    internal LoopUser User => _factory.User;

    internal TimeProvider? Time => _factory.Time;

    internal IReadOnlyList<int> LoopOfShard => _loopOfShard;

    private bool IsGroup => _loopOfShard.Length > 1 || Options.SharePort;

    /// <summary>Returns the shard to send from: one on the calling thread's loop, else on its node, else the first.</summary>
    /// <returns>The shard.</returns>
    public NumaUdpShard GetNearestShard()
    {
        if (NumaEventLoop.Current is { } current)
        {
            foreach (var shard in Shards)
            {
                if (shard.LoopIndex == current.Index && shard.NodeId == current.NodeId)
                {
                    return shard;
                }
            }
        }

        var node = _factory.CurrentNodeIndex;
        foreach (var shard in Shards)
        {
            if (_loops[shard.LoopIndex].NodeIndex == node)
            {
                return shard;
            }
        }

        return Shards[0];
    }

    /// <summary>Reads the counters of every shard.</summary>
    /// <returns>One entry per shard.</returns>
    public IReadOnlyList<NumaUdpShardStatistics> GetStatistics() => [.. Shards.Select(static shard => shard.GetStatistics())];

    internal void Start()
    {
        foreach (var shard in Shards)
        {
            shard.Start();
        }
    }

    /// <summary>Closes a socket that could not be started, or that the factory no longer accepts.</summary>
    internal void Abandon()
    {
        CloseShards();
        _opener.Fallbacks.EndAll();
    }

    internal void Steer(NumaPlan plan)
    {
        // Sockets of other processes would be numbered together with ours.
        if (Options.Steering != NumaUdpSteering.Cpu || Shards.Length == 1 || Options.SharePort)
        {
            return;
        }

        lock (_lock)
        {
            _steering = ShardPlacement.TableFor(plan, _loops, _loopOfShard);
            Steer();
        }
    }

    private void Steer()
    {
        if (_steering is not { } table || _order.Count == 0)
        {
            return;
        }

        var program = table.Renumber(_order.IndexOf).ToProgram();
        Tell(Shards[_order[0]].SteerBy(program), FallbackCatalog.UdpSteering, "SO_ATTACH_REUSEPORT_CBPF");
    }

    private void OnCutRefused(SysResult result) => Tell(result, FallbackCatalog.UdpGso, "UDP_SEGMENT");

    // Sandboxes often refuse it (AF_NETLINK). Only a fallback if the application set DropOwnSource.
    private void OnAddressesRead(SysResult result)
    {
        if (Options.DropOwnSource is not null)
        {
            Tell(result, FallbackCatalog.UdpOwnSource, "getifaddrs");
        }
        else if (!result.Succeeded && !_isWithoutAddresses)
        {
            _isWithoutAddresses = true;
            _factory.Log.WithoutAddresses(LocalEndPoint, result.ErrorName);
        }
    }

    private void Tell(SysResult result, FallbackKind kind, string call)
    {
        if (result.Succeeded)
        {
            _opener.Fallbacks.End(kind);
        }
        else
        {
            _opener.Report(result, kind, call);
        }
    }

    private static int SizeOf(DatagramSocket socket, int name) =>
        socket.GetOption(SocketCalls.SOL_SOCKET, name, out var doubled).Succeeded ? doubled / 2 : 0;
}
