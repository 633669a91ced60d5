namespace NumaSharp.Udp.Shards;

/// <summary>Processes the datagrams of a shard.</summary>
internal abstract class ShardReceiver
{
    /// <summary>
    /// The number of batches received before the loop's other sockets get their turn. Two of 32, each received, handled and
    /// replied to in 8 microseconds, are half of the loop's stall threshold; a turn costs one more epoll_wait. Of long datagrams,
    /// which take 20 and more, a batch holds fewer.
    /// </summary>
    protected const int BatchesPerTurn = 2;

    /// <summary>
    /// There may be datagrams to receive, room to send, or an end. On the loop's thread; on two threads at once if the loop was
    /// handed over.
    /// </summary>
    public abstract void OnReady();

    /// <summary>The socket is closed: ends a pending receive, and returns the memory.</summary>
    public abstract void OnClosed();
}

/// <summary>The outcome of a receive.</summary>
internal enum ReceiveState
{
    /// <summary>Datagrams.</summary>
    Received,

    /// <summary>Datagrams that were all dropped; there may be others behind them.</summary>
    Dropped,

    /// <summary>Nothing yet. An event will announce datagrams.</summary>
    Nothing,

    /// <summary>An error caused by an earlier datagram sent; there may be datagrams behind it.</summary>
    PeerError,

    /// <summary>Nothing, and nothing will come: the shard is stopping, or its socket is closed.</summary>
    Ended,
}
