using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Interop;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp;

/// <summary>
/// One of the sockets of a <see cref="NumaUdpSocket"/>, on an event loop of its node. Sending is thread-safe; only one receive
/// may be pending.
/// </summary>
public sealed partial class NumaUdpShard
{
    private readonly NumaUdpSocket _owner;
    private readonly NumaEventLoop _loop;
    private readonly NumaMemoryPool _pool;
    private readonly ShardEvents _events;
    private readonly SendQueue _sends;
    private readonly Func<NumaUdpShard, IDatagramHandler>? _handlerOf;
    private volatile ShardReceiver _receiver;
    private readonly SegmentationOffload _offload;
    private Coalescer? _coalescer;

    internal NumaUdpShard(
        NumaUdpSocket owner,
        int index,
        NumaEventLoop loop,
        NumaMemoryPool pool,
        DatagramSocket socket,
        SegmentationOffload offload,
        Func<NumaUdpShard, IDatagramHandler>? handlerOf)
    {
        _owner = owner;
        _loop = loop;
        _pool = pool;
        _socket = socket;
        _cookie = socket.GetCookie();
        _offload = offload;
        Index = index;
        Counters = new ShardCounters(loop.NodeId, loop.Index);
        _events = new ShardEvents(this);
        Watch = new ShardWatch(loop, _events);
        _sends = new SendQueue(this);
        _handlerOf = handlerOf;
        _receiver = handlerOf is null ? new AsyncReceiver(this) : new HandlerReceiver(this, _firstHandler = handlerOf(this));
    }

    /// <summary>The shard's number, from 0.</summary>
    public int Index { get; }

    /// <summary>The kernel id of its node.</summary>
    public NumaNodeId NodeId => _loop.NodeId;

    /// <summary>The number of its event loop.</summary>
    public int LoopIndex => _loop.Index;

    /// <summary>The address that the socket is bound to.</summary>
    public IPEndPoint LocalEndPoint => _owner.LocalEndPoint;

    internal LoopUser User => _owner.User;

    internal ShardCounters Counters { get; }

    internal ShardWatch Watch { get; }

    /// <summary>Whether the calling thread holds the shard's loop.</summary>
    internal bool IsOnLoop => _loop.IsHeldByCurrentThread;

    /// <summary>Creates a batch of the socket's size, in the node's memory.</summary>
    /// <returns>The batch; the caller disposes it.</returns>
    /// <exception cref="NumaException">The node has no memory left, where binding is strict.</exception>
    public NumaDatagramBatch CreateBatch() => new(_pool, _owner.Options.BatchSize);

    /// <summary>
    /// Receives available datagrams, or waits for some. A waiting caller resumes inline on the thread of the shard's event loop,
    /// unless it captured a context; it should not block. After <see cref="NumaUdpSocket.DisposeAsync"/> it resumes on the thread
    /// pool.
    /// </summary>
    /// <param name="batch">Its content is replaced. Belongs to the receive until that ends.</param>
    /// <param name="cancellationToken">Ends the wait; no received datagram is lost.</param>
    /// <returns>The number of datagrams, 1 or more; 0 once the socket is stopped and drained, or disposed.</returns>
    /// <exception cref="InvalidOperationException">
    /// The socket has a handler, another receive of the shard has not ended, or the batch is in use.
    /// </exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<int> ReceiveAsync(NumaDatagramBatch batch, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(batch);
        return _receiver is AsyncReceiver receiver
            ? receiver.ReceiveAsync(batch, cancellationToken)
            : throw new InvalidOperationException("The socket has a handler, which receives all datagrams.");
    }

    /// <summary>Receives batch by batch, each valid until the next.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The same batch each time, until the socket is stopped or disposed.</returns>
    public async IAsyncEnumerable<NumaDatagramBatch> ReceiveAllAsync(
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using var batch = CreateBatch();
        while (await ReceiveAsync(batch, cancellationToken).ConfigureAwait(false) > 0)
        {
            yield return batch;
        }
    }

    /// <summary>
    /// Sends the datagrams of a batch; received ones go back to their senders. Waits while the socket has no room: the loop sends
    /// the rest, and a waiting caller resumes inline on its thread. Thread-safe; waiting sends keep the order of the calls.
    /// </summary>
    /// <param name="batch">Keeps its content. Belongs to the send until that ends.</param>
    /// <param name="cancellationToken">Ends the wait; datagrams already sent stay sent.</param>
    /// <returns>The number of datagrams accepted by the kernel; the others were refused, and are counted.</returns>
    /// <exception cref="InvalidOperationException">The batch is in use.</exception>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<int> SendAsync(NumaDatagramBatch batch, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(batch);
        return _sends.SendAsync(batch, cancellationToken);
    }

    /// <summary>Reads the shard's counters.</summary>
    /// <returns>The counters, which only grow.</returns>
    public NumaUdpShardStatistics GetStatistics() => Counters.Read(CountDrops(), CountStuckHandlers(), IsServing);

    /// <summary>Whether the kernel segments sent messages.</summary>
    internal bool Joins => _offload.IsOn;

    internal void Post() => _loop.Post(_events);

    internal void OnReady(EventLoopEvents events)
    {
        if ((events & (EventLoopEvents.Writable | EventLoopEvents.Error | EventLoopEvents.HangUp)) != 0)
        {
            _sends.OnWritable();
        }

        if (_coalescer is not null && events == EventLoopEvents.Readable)
        {
            _coalescer.OnEvent();
        }
        else
        {
            _receiver.OnReady();
        }
    }

    internal ReceiveState Receive(NumaDatagramBatch batch, out SocketError error)
    {
        error = SocketError.Success;

        // The kernel gives a copy of a broadcast to every socket of the port.
        var result = batch.Receive(_socket, _owner.OwnAddresses, skipsBroadcasts: Index > 0);
        if (result.Succeeded)
        {
            Counters.OnReceived(batch);
            return batch.Count > 0 ? ReceiveState.Received : ReceiveState.Dropped;
        }

        switch (result.Errno)
        {
            case Errno.EAGAIN:
                return IsStopping ? ReceiveState.Ended : ReceiveState.Nothing;
            case Errno.EBADF or Errno.ENOTSOCK:
                OnLost(result.ErrorName);
                return IsStopping ? ReceiveState.Ended : ReceiveState.Nothing;
            case var errno when PeerErrors.Contains(errno):
                Counters.OnPeerError();
                error = SocketFailure.ErrorOf(errno);
                return ReceiveState.PeerError;
            default:
                OnReceiveFailed(result);
                return ReceiveState.Nothing;
        }
    }

    /// <summary>Sends the rest of a batch, as far as there is room.</summary>
    internal SysResult Send(NumaDatagramBatch batch, ref SendOutcome outcome)
    {
        var result = batch.Send(_socket, _offload, ref outcome);
        Counters.OnSent(outcome);
        return result;
    }

    internal void OnHandlerFailed(Exception exception) => _owner.OnHandlerFailed(this, exception);
}
