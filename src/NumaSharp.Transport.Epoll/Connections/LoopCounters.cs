using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>Counters of one loop, on their own cache lines: other loops write theirs at the same time.</summary>
internal sealed class LoopCounters(NumaNodeId nodeId, int loopIndex, int cache = -1)
{
    private Lines _lines;
    private Followed _followed = new(null, 0, 0);
    private int _cache = cache;

    public NumaNodeId NodeId => nodeId;

    /// <summary>
    /// The first CPU of the last-level cache that the loop stays in, if those of its node stay in several; otherwise -1.
    /// </summary>
    public int Cache => Volatile.Read(ref _cache);

    /// <summary>The number of open connections.</summary>
    public long Active => Volatile.Read(ref _lines.Active);

    /// <summary>How often the loop was handed over, including its predecessors.</summary>
    public long HandOvers => Volatile.Read(ref _followed).HandOvers;

    /// <summary>Creates the counters of every loop of a plan, in the order of the loops.</summary>
    public static IEnumerable<LoopCounters> For(NumaPlan plan) =>
        LoopsOf(plan).Select(static (loop, index) => new LoopCounters(loop.NodeId, index, loop.Cache));

    /// <summary>Follows a plan with the same loops that may be on other CPUs.</summary>
    public static void Follow(IEnumerable<LoopCounters> all, NumaPlan plan)
    {
        foreach (var (counters, loop) in all.Zip(LoopsOf(plan)))
        {
            Volatile.Write(ref counters._cache, loop.Cache);
        }
    }

    private static IEnumerable<(NumaNodeId NodeId, int Cache)> LoopsOf(NumaPlan plan)
    {
        foreach (var node in plan.Nodes)
        {
            int[] caches = [.. node.LoopCpus.Select(cpus => plan.Topology.FindSharedCache(cpus)?.Cpus.First ?? -1)];
            var isOne = caches.Distinct().Count() == 1;
            foreach (var cache in caches)
            {
                yield return (node.NodeId, isOne ? -1 : cache);
            }
        }
    }

    public EpollLoopStatistics Read() => new()
    {
        NodeId = nodeId,
        LoopIndex = loopIndex,
        ActiveConnections = Active,
        AcceptedConnections = Volatile.Read(ref _lines.Accepted),
        PlacedConnections = Volatile.Read(ref _lines.Placed),
        AcceptErrors = Volatile.Read(ref _lines.AcceptErrors),
        PausedListeners = Volatile.Read(ref _lines.PausedListeners),
        BytesReceived = Volatile.Read(ref _lines.BytesReceived),
        BytesSent = Volatile.Read(ref _lines.BytesSent),
        EstimatedReceives = Volatile.Read(ref _lines.EstimatedReceives),
        CrossNodeReceives = Volatile.Read(ref _lines.CrossNodeReceives),
        HandOvers = HandOvers,
        Demotions = Volatile.Read(ref _lines.Demotions),
        BrokenListeners = Volatile.Read(ref _lines.BrokenListeners),
        Restarts = Volatile.Read(ref _followed).Restarts,
        IsServing = Volatile.Read(ref _followed).Loop?.IsServing ?? true,
        StuckFor = Volatile.Read(ref _followed).Loop?.StuckFor ?? TimeSpan.Zero,
    };

    /// <summary>Counts a loop that replaces an earlier one; does nothing if it is the same.</summary>
    public void Follow(NumaEventLoop loop)
    {
        var former = _followed;
        if (ReferenceEquals(former.Loop, loop))
        {
            return;
        }

        Volatile.Write(ref _followed, new Followed(loop, former.Restarts, former.HandOvers));
    }

    public void OnAccepted() => Interlocked.Increment(ref _lines.Accepted);

    public void OnOpened() => Interlocked.Increment(ref _lines.Active);

    public void OnPlaced() => Interlocked.Increment(ref _lines.Placed);

    public void OnClosed() => Interlocked.Decrement(ref _lines.Active);

    public void OnAcceptError() => Interlocked.Increment(ref _lines.AcceptErrors);

    public void OnAcceptPaused() => Interlocked.Increment(ref _lines.PausedListeners);

    public void OnAcceptResumed() => Interlocked.Decrement(ref _lines.PausedListeners);

    public void OnListenerBroken() => Interlocked.Increment(ref _lines.BrokenListeners);

    public void OnListenerMended() => Interlocked.Decrement(ref _lines.BrokenListeners);

    public void OnDemoted() => Interlocked.Increment(ref _lines.Demotions);

    public void OnReceived(int bytes) => Interlocked.Add(ref _lines.BytesReceived, bytes);

    /// <summary>
    /// Whether to sample a receive: at random, because with connections taking turns every 64th receive could hit the same one.
    /// Two concurrent calls may count as one.
    /// </summary>
    public bool IsSampled()
    {
        const uint Share = (uint)((1UL << 32) / CrossNodeSampling.Interval);
        return (_lines.Sampling = LinearCongruential.Next(_lines.Sampling)) < Share;
    }

    /// <summary>Counts a sampled receive, which stands for 64.</summary>
    public void OnSampled(bool isCrossNode)
    {
        Interlocked.Add(ref _lines.EstimatedReceives, CrossNodeSampling.Interval);
        if (isCrossNode)
        {
            Interlocked.Add(ref _lines.CrossNodeReceives, CrossNodeSampling.Interval);
        }
    }

    public void OnSent(int bytes) => Interlocked.Add(ref _lines.BytesSent, bytes);

    /// <summary>The current or last loop, and the counts of its predecessors: one object, for consistent reads.</summary>
    private sealed class Followed(NumaEventLoop? loop, long pastRestarts, long pastHandOvers)
    {
        public NumaEventLoop? Loop => loop;

        public long Restarts => pastRestarts + (loop?.Restarts ?? 0);

        public long HandOvers => pastHandOvers + (loop?.HandOvers ?? 0);
    }

    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Lines
    {
        [FieldOffset(64)]
        public long Accepted;

        [FieldOffset(72)]
        public long AcceptErrors;

        [FieldOffset(80)]
        public long Active;

        [FieldOffset(88)]
        public long PausedListeners;

        [FieldOffset(104)]
        public long Placed;

        [FieldOffset(112)]
        public long Demotions;

        [FieldOffset(120)]
        public long BrokenListeners;

        [FieldOffset(128)]
        public long BytesReceived;

        [FieldOffset(136)]
        public long BytesSent;

        [FieldOffset(144)]
        public long EstimatedReceives;

        [FieldOffset(152)]
        public long CrossNodeReceives;

        [FieldOffset(160)]
        public uint Sampling;
    }
}
