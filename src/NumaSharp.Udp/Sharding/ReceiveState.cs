namespace NumaSharp.Udp.Sharding;

/// <summary>What a receive found.</summary>
internal enum ReceiveState
{
    /// <summary>Datagrams.</summary>
    Received,

    /// <summary>Datagrams that were all dropped; there may be others behind them.</summary>
    Dropped,

    /// <summary>Nothing. An event comes when there is something.</summary>
    Nothing,

    /// <summary>An error that something sent earlier has met; there may be datagrams behind it.</summary>
    PeerError,

    /// <summary>Nothing, and nothing will come: the shard stops, or its socket is closed.</summary>
    Ended,
}
