using System.Buffers;
using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// The connection is its own feature collection, as in Kestrel's transports: features it implements take no memory, and features
/// set by others go into an array; a dictionary would add a third to a connection's size. As usual, not thread-safe.
/// </content>
[SuppressMessage(
    "Naming", "CA1710:Identifiers should have correct suffix", Justification = "It is a connection in the first place.")]
internal sealed partial class EpollConnection :
    IFeatureCollection,
    IConnectionIdFeature,
    IConnectionTransportFeature,
    IConnectionItemsFeature,
    IMemoryPoolFeature,
    IConnectionLifetimeFeature,
    IConnectionEndPointFeature,
    INumaConnectionFeature
{
    // Kestrel sets four features of its own on a connection without TLS.
    private const int FirstCapacity = 4;

    private static readonly Type[] s_own =
    [
        typeof(IConnectionIdFeature),
        typeof(IConnectionTransportFeature),
        typeof(IConnectionItemsFeature),
        typeof(IMemoryPoolFeature),
        typeof(IConnectionLifetimeFeature),
        typeof(IConnectionEndPointFeature),
        typeof(INumaConnectionFeature),
    ];

    // Also holds the connection's own features that were replaced, or removed (null).
    private KeyValuePair<Type, object?>[] _set = [];
    private int _setCount;
    private int _featureRevision;

    private IDictionary<object, object?>? _items;

    public override IFeatureCollection Features => this;

    bool IFeatureCollection.IsReadOnly => false;

    int IFeatureCollection.Revision => _featureRevision;

    object? IFeatureCollection.this[Type key]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(key);
            return IndexOf(key) is var index and >= 0 ? _set[index].Value : IsOwn(key) ? this : null;
        }

        set
        {
            ArgumentNullException.ThrowIfNull(key);
            SetFeature(key, value);
        }
    }

    TFeature? IFeatureCollection.Get<TFeature>()
        where TFeature : default
    {
        if (Features[typeof(TFeature)] is { } feature)
        {
            return (TFeature)feature;
        }

        return default(TFeature) is null
            ? default
            : throw new InvalidOperationException($"The connection has no {typeof(TFeature)}; a struct cannot be null.");
    }

    void IFeatureCollection.Set<TFeature>(TFeature? instance)
        where TFeature : default => SetFeature(typeof(TFeature), instance);

    IEnumerator<KeyValuePair<Type, object>> IEnumerable<KeyValuePair<Type, object>>.GetEnumerator()
    {
        foreach (var key in s_own.Where(key => IndexOf(key) < 0))
        {
            yield return new(key, this);
        }

        for (var i = 0; i < _setCount; i++)
        {
            if (_set[i] is { Value: { } feature } set)
            {
                yield return new(set.Key, feature);
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => ((IEnumerable<KeyValuePair<Type, object>>)this).GetEnumerator();

    private void SetFeature(Type key, object? feature)
    {
        var index = IndexOf(key);
        if (index < 0)
        {
            if (feature is null && !IsOwn(key))
            {
                return;
            }

            if (_setCount == _set.Length)
            {
                Array.Resize(ref _set, Math.Max(FirstCapacity, _setCount * 2));
            }

            index = _setCount++;
        }

        _set[index] = new(key, feature);
        _featureRevision++;
    }

    private int IndexOf(Type key)
    {
        for (var i = 0; i < _setCount; i++)
        {
            if (ReferenceEquals(_set[i].Key, key))
            {
                return i;
            }
        }

        return -1;
    }

    private static bool IsOwn(Type key)
    {
        foreach (var own in s_own)
        {
            if (ReferenceEquals(own, key))
            {
                return true;
            }
        }

        return false;
    }

    // The features of a connection. There is no IConnectionSocketFeature: the descriptor is not a BCL socket's, and wrapping it
    // in one would let the application read, write or close it behind the transport's back.

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
