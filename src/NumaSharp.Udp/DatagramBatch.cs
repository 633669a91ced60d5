using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Sharding;

namespace NumaSharp.Udp;

/// <summary>What a handler is called with: datagrams that were received together, and the way to answer them.</summary>
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

    /// <summary>How many datagrams.</summary>
    public int Count => _received.Count;

    /// <summary>The shard that has received them.</summary>
    public NumaUdpShard Shard { get; }

    /// <summary>Gives each datagram by itself.</summary>
    /// <returns>The enumerator.</returns>
    public NumaDatagramBatch.Enumerator GetEnumerator() => _received.GetEnumerator();

    /// <summary>
    /// Answers a datagram, from the address that it was sent to. Sent, with all others, when the handler returns or when there is
    /// no room for more of them; answers of one length to one peer, one after the other, are handed to the kernel as one.
    /// </summary>
    /// <param name="datagram">One of this batch.</param>
    /// <param name="payload">The answer, 0 to <see cref="NumaDatagramBatch.MaxPayload"/> bytes; copied.</param>
    /// <returns>
    /// False when there is no room, because the socket has none: the answer is dropped, and counted
    /// (<see cref="NumaUdpShardStatistics.RepliesDropped"/>).
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too long.</exception>
    public bool Reply(scoped in Datagram datagram, scoped ReadOnlySpan<byte> payload)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(payload.Length, NumaDatagramBatch.MaxPayload, nameof(payload));
        Span<byte> source = stackalloc byte[ReplySource.MaxSize];
        return _replies.TryAdd(datagram.Address, source[..ReplySource.Of(datagram.Batch, datagram.Message, source)], payload);
    }

    /// <summary>
    /// Sends a datagram back as it is, or as the handler has changed it, without a copy: it must not be changed afterwards.
    /// </summary>
    /// <param name="datagram">One of this batch.</param>
    /// <returns>As with <see cref="Reply"/>.</returns>
    /// <exception cref="ArgumentException">The datagram is of another batch, whose memory may be used again before.</exception>
    public bool Echo(scoped in Datagram datagram)
    {
        if (datagram.Batch != _received)
        {
            throw new ArgumentException("The datagram is of another batch than the handler was called with.", nameof(datagram));
        }

        Span<byte> source = stackalloc byte[ReplySource.MaxSize];
        return _replies.TryAddInPlace(
            datagram, source[..ReplySource.Of(datagram.Batch, datagram.Message, source)]);
    }

    /// <summary>Sends a datagram to somebody else, with the answers.</summary>
    /// <param name="remoteAddress">Who gets it, as the kernel has it, of the socket's family.</param>
    /// <param name="payload">The datagram; copied.</param>
    /// <returns>As with <see cref="Reply"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is too long.</exception>
    public bool Send(scoped ReadOnlySpan<byte> remoteAddress, scoped ReadOnlySpan<byte> payload)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(payload.Length, NumaDatagramBatch.MaxPayload, nameof(payload));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            remoteAddress.Length, NumaDatagramBatch.AddressSize, nameof(remoteAddress));
        return _replies.TryAdd(remoteAddress, source: default, payload);
    }
}
