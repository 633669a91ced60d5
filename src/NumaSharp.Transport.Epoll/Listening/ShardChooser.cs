namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Chooses the shard of a connection that the kernel has not placed: one that this process makes, or that was accepted on a
/// socket which is not one of a group. The load is the open connections; equals take turns. Thread-safe.
/// </summary>
internal sealed class ShardChooser(IReadOnlyList<ListenerShard> shards)
{
    private uint _turn;

    public ListenerShard LeastLoaded() => Choose(nodeIndex: null)!;

    /// <summary>The least loaded on a node; of all, when the node has none (Binding:NetworkDevice).</summary>
    public ListenerShard LeastLoadedOn(int nodeIndex) => Choose(nodeIndex) ?? LeastLoaded();

    private ListenerShard? Choose(int? nodeIndex)
    {
        var first = Interlocked.Increment(ref _turn);
        ListenerShard? chosen = null;
        var fewest = long.MaxValue;
        for (var i = 0u; i < shards.Count; i++)
        {
            var shard = shards[(int)((first + i) % (uint)shards.Count)];
            if (nodeIndex is { } index && shard.Loop.NodeIndex != index)
            {
                continue;
            }

            var active = shard.Counters.Active;
            if (active < fewest)
            {
                (chosen, fewest) = (shard, active);
            }
        }

        return chosen;
    }
}
