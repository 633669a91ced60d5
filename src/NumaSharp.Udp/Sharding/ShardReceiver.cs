namespace NumaSharp.Udp.Sharding;

/// <summary>What a shard does with what comes.</summary>
internal abstract class ShardReceiver
{
    /// <summary>
    /// How many batches are received in one go before the other sockets of the loop have their turn. A full turn of small
    /// datagrams stays below the loop's stall threshold.
    /// </summary>
    protected const int BatchesPerTurn = 16;

    /// <summary>
    /// There may be something to receive, room to send, or an end. On the loop's thread; at the same time on two, when the loop
    /// was handed over.
    /// </summary>
    public abstract void OnReady();

    /// <summary>The socket is closed: whoever waits is told, and memory goes back.</summary>
    public abstract void OnClosed();
}
