namespace NumaSharp.Udp.Sharding;

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
