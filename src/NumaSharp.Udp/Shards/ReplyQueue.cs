using NumaSharp.Udp.Batching;

namespace NumaSharp.Udp.Shards;

/// <summary>A handler's replies, sent together. Used by one thread at a time.</summary>
/// <param name="shard">Sends them.</param>
/// <param name="batch">Holds them.</param>
internal sealed unsafe class ReplyQueue(NumaUdpShard shard, NumaDatagramBatch batch)
{
    public bool TryAdd(
        scoped ReadOnlySpan<byte> remoteAddress, scoped ReadOnlySpan<byte> source, scoped ReadOnlySpan<byte> payload)
    {
        return batch.TryAppend(remoteAddress, source, payload)
            || (TryFlush() && batch.TryAppend(remoteAddress, source, payload))
            || Drop();
    }

    public bool TryAddInPlace(scoped in Datagram datagram, scoped ReadOnlySpan<byte> source)
    {
        var address = datagram.RemoteAddress;
        return batch.TryAppendInPlace(address, source, datagram.Pointer, datagram.Length, shard.Joins)
            || (TryFlush() && batch.TryAppendInPlace(address, source, datagram.Pointer, datagram.Length, shard.Joins))
            || Drop();
    }

    /// <summary>Sends the queued replies.</summary>
    /// <returns>False if the socket has no room for the rest, which stays queued.</returns>
    public bool TryFlush()
    {
        if (batch.MessageCount == 0)
        {
            return true;
        }

        SendOutcome outcome = default;
        var result = shard.Send(batch, ref outcome);
        if (result.IsAgain)
        {
            return false;
        }

        batch.Clear();
        return true;
    }

    /// <summary>Sends the replies, and drops those that the socket has no room for.</summary>
    public void FlushOrDrop()
    {
        if (!TryFlush())
        {
            DropAll();
        }
    }

    /// <summary>Drops, and counts, the queued replies.</summary>
    public void DropAll()
    {
        shard.Counters.OnRepliesDropped(batch.UnsentCount);
        batch.Clear();
    }

    private bool Drop()
    {
        shard.Counters.OnRepliesDropped(1);
        return false;
    }
}
