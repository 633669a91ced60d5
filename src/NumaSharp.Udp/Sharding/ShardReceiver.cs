namespace NumaSharp.Udp.Sharding;

/// <summary>What a shard does with what comes.</summary>
internal abstract class ShardReceiver
{
    /// <summary>
    /// How many batches are received in one go before the other sockets of the loop have their turn. Two of 32, each received,
    /// handled and answered in 8 microseconds, are half of the loop's stall threshold; a turn costs one more epoll_wait. Of long
    /// datagrams, which take 20 and more, a batch has fewer.
    /// </summary>
    protected const int BatchesPerTurn = 2;

    /// <summary>
    /// There may be something to receive, room to send, or an end. On the loop's thread; at the same time on two, when the loop
    /// was handed over.
    /// </summary>
    public abstract void OnReady();

    /// <summary>The socket is closed: whoever waits is told, and memory goes back.</summary>
    public abstract void OnClosed();
}
