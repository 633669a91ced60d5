using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp;

/// <summary>The argument of a handler: datagrams received together, and the means to reply to them.</summary>
public readonly ref struct DatagramBatch
{
    private readonly NumaDatagramBatch _received;
    private readonly ReplyQueue _replies;

    internal DatagramBatch(NumaUdpShard shard, NumaDatagramBatch received, ReplyQueue replies)
    {
        Shard = shard;
        _received = received;
        _replies = replies;
    }

    /// <summary>The number of datagrams.</summary>
    public int Count => _received.Count;

    /// <summary>The shard that received them.</summary>
    public NumaUdpShard Shard { get; }

    /// <summary>Enumerates the datagrams one by one.</summary>
    /// <returns>The enumerator.</returns>
    public NumaDatagramBatch.Enumerator GetEnumerator() => _received.GetEnumerator();

    /// <summary>
    /// Replies to a datagram, from the address it was sent to. Sent with all other replies when the handler returns or when there
    /// is no room for more; consecutive replies of one length to one peer are handed to the kernel as one message.
    /// </summary>
    /// <param name="datagram">One of this batch.</param>
    /// <param name="payload">
    /// The reply, 0 to <see cref="NumaDatagramBatch.MaxPayload"/> bytes, or 65,527 on an IPv6 socket; copied. The kernel refuses
    /// a longer one to an IPv4 peer.
    /// </param>
    /// <returns>
    /// False if there is no room because the socket's buffer is full: the reply is dropped and counted
    /// (<see cref="NumaUdpShardStatistics.RepliesDropped"/>).
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too long.</exception>
    public bool Reply(scoped in Datagram datagram, scoped ReadOnlySpan<byte> payload)
    {
        var address = datagram.RemoteAddress;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            payload.Length, NumaDatagramBatch.LongestTo(address), nameof(payload));
        Span<byte> source = stackalloc byte[ReplySource.MaxSize];
        return _replies.TryAdd(address, source[..ReplySource.Of(datagram.Batch, datagram.Message, source)], payload);
    }

    /// <summary>
    /// Sends a datagram back unchanged, or as modified by the handler, without a copy: it must not be changed afterwards.
    /// </summary>
    /// <param name="datagram">One of this batch.</param>
    /// <returns>As with <see cref="Reply"/>.</returns>
    /// <exception cref="ArgumentException">The datagram is of another batch; its memory may be reused before sending.</exception>
    public bool Echo(scoped in Datagram datagram)
    {
        if (datagram.Batch != _received)
        {
            throw new ArgumentException("The datagram is not from the batch that the handler was called with.", nameof(datagram));
        }

        Span<byte> source = stackalloc byte[ReplySource.MaxSize];
        return _replies.TryAddInPlace(
            datagram, source[..ReplySource.Of(datagram.Batch, datagram.Message, source)]);
    }

    /// <summary>Sends a datagram to another peer, together with the replies.</summary>
    /// <param name="remoteAddress">The recipient's address in the kernel's form, of the socket's family.</param>
    /// <param name="payload">The datagram; copied.</param>
    /// <returns>As with <see cref="Reply"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is too long.</exception>
    public bool Send(scoped ReadOnlySpan<byte> remoteAddress, scoped ReadOnlySpan<byte> payload)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            payload.Length, NumaDatagramBatch.LongestTo(remoteAddress), nameof(payload));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            remoteAddress.Length, NumaDatagramBatch.AddressSize, nameof(remoteAddress));
        return _replies.TryAdd(remoteAddress, source: default, payload);
    }
}
