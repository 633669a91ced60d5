using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Udp.Batching;

namespace NumaSharp.Udp.Shards;

/// <summary>
/// Counters of one shard. One thread at a time writes those of receives, any thread those of sends. On their own cache lines:
/// other shards write theirs at the same time.
/// </summary>
internal sealed class ShardCounters(NumaNodeId nodeId, int loopIndex)
{
    private Lines _lines;

    public long ReceivedDatagrams => Volatile.Read(ref _lines.ReceivedDatagrams);

    public NumaUdpShardStatistics Read(long buffersDropped, int stuckHandlers, bool isServing) => new()
    {
        NodeId = nodeId,
        LoopIndex = loopIndex,
        ReceivedDatagrams = ReceivedDatagrams,
        ReceivedBytes = Volatile.Read(ref _lines.ReceivedBytes),
        ReceivedBatches = Volatile.Read(ref _lines.ReceivedBatches),
        SentDatagrams = Volatile.Read(ref _lines.SentDatagrams),
        SentBytes = Volatile.Read(ref _lines.SentBytes),
        RefusedDatagrams = Volatile.Read(ref _lines.Refused),
        RepliesDropped = Volatile.Read(ref _lines.RepliesDropped),
        BuffersDropped = buffersDropped,
        OwnSourceDropped = Volatile.Read(ref _lines.OwnDropped),
        PeerErrors = Volatile.Read(ref _lines.PeerErrors),
        ReceiveErrors = Volatile.Read(ref _lines.ReceiveErrors),
        TruncatedMessages = Volatile.Read(ref _lines.Truncated),
        HandlerFailures = Volatile.Read(ref _lines.HandlerFailures),
        HandlersReplaced = Volatile.Read(ref _lines.HandlersReplaced),
        Restarts = Volatile.Read(ref _lines.Restarts),
        HandlersStuck = stuckHandlers,
        Sockets = isServing ? 1 : 0,
        IsServing = isServing,
    };

    public void OnReceived(NumaDatagramBatch batch)
    {
        Volatile.Write(ref _lines.ReceivedDatagrams, _lines.ReceivedDatagrams + batch.Count);
        Volatile.Write(ref _lines.ReceivedBytes, _lines.ReceivedBytes + batch.ReceivedBytes);
        Volatile.Write(ref _lines.ReceivedBatches, _lines.ReceivedBatches + 1);
        if (batch.OwnDropped > 0)
        {
            Interlocked.Add(ref _lines.OwnDropped, batch.OwnDropped);
        }

        if (batch.TruncatedMessages > 0)
        {
            Interlocked.Add(ref _lines.Truncated, batch.TruncatedMessages);
        }
    }

    public void OnSent(in SendOutcome outcome)
    {
        Interlocked.Add(ref _lines.SentDatagrams, outcome.Datagrams);
        Interlocked.Add(ref _lines.SentBytes, outcome.Bytes);
        if ((outcome.Refused | outcome.PeerErrors) != 0)
        {
            Interlocked.Add(ref _lines.Refused, outcome.Refused);
            Interlocked.Add(ref _lines.PeerErrors, outcome.PeerErrors);
        }
    }

    public void OnRepliesDropped(int count) => Interlocked.Add(ref _lines.RepliesDropped, count);

    public void OnPeerError() => Interlocked.Increment(ref _lines.PeerErrors);

    public void OnReceiveError() => Interlocked.Increment(ref _lines.ReceiveErrors);

    public long OnHandlerFailed() => Interlocked.Increment(ref _lines.HandlerFailures);

    public void OnHandlerReplaced() => Interlocked.Increment(ref _lines.HandlersReplaced);

    public void OnRestarted() => Interlocked.Increment(ref _lines.Restarts);

    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Lines
    {
        [FieldOffset(64)]
        public long ReceivedDatagrams;

        [FieldOffset(72)]
        public long ReceivedBytes;

        [FieldOffset(80)]
        public long ReceivedBatches;

        [FieldOffset(128)]
        public long SentDatagrams;

        [FieldOffset(136)]
        public long SentBytes;

        [FieldOffset(192)]
        public long Refused;

        [FieldOffset(200)]
        public long RepliesDropped;

        [FieldOffset(208)]
        public long PeerErrors;

        [FieldOffset(216)]
        public long ReceiveErrors;

        [FieldOffset(224)]
        public long Truncated;

        [FieldOffset(232)]
        public long HandlerFailures;

        [FieldOffset(240)]
        public long Restarts;

        [FieldOffset(248)]
        public long HandlersReplaced;

        [FieldOffset(256)]
        public long OwnDropped;
    }
}
