using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections.Features;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// The features of a connection. There is no IConnectionSocketFeature: the descriptor is not a BCL socket's, and wrapping it in
/// one would let the application read, write or close it behind the transport's back.
/// </content>
internal sealed partial class EpollConnection :
    IConnectionIdFeature,
    IConnectionTransportFeature,
    IConnectionItemsFeature,
    IMemoryPoolFeature,
    IConnectionLifetimeFeature,
    IConnectionEndPointFeature,
    INumaConnectionFeature
{
    private IDictionary<object, object?>? _items;

    public override string ConnectionId
    {
        get => _connectionId ?? MakeConnectionId();
        set => _connectionId = value;
    }

    public override IDictionary<object, object?> Items
    {
        get => _items ??= new Dictionary<object, object?>();
        set => _items = value;
    }

    public override IDuplexPipe Transport { get; set; }

    public override CancellationToken ConnectionClosed { get; set; }

    public override EndPoint? LocalEndPoint { get; set; }

    public override EndPoint? RemoteEndPoint { get; set; }

    public MemoryPool<byte> MemoryPool => Shard.Pool;

    public NumaNodeId NodeId => Shard.Loop.NodeId;

    public int LoopIndex => Shard.Loop.Index;

    public nint ReceiveBufferAddress => _input.LastBlockAddress;

    // Atomic: any thread may ask for the id first, for example one reporting which callback is blocking a loop.
    private string MakeConnectionId()
    {
        var id = string.Create(CultureInfo.InvariantCulture, $"numa-{Interlocked.Increment(ref s_lastId):x8}");
        return Interlocked.CompareExchange(ref _connectionId, id, null) ?? id;
    }
}
