using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Shards;

/// <summary>Places the shards of a socket on loops, and maps CPUs to shards.</summary>
internal static class ShardPlacement
{
    /// <summary>Chooses a loop for each shard: spread over the nodes, and on each node over its loops.</summary>
    /// <param name="loops">The loops of the plan.</param>
    /// <param name="count">The number of shards; 0 for one per loop.</param>
    /// <param name="used">The number of other sockets' shards on each loop.</param>
    public static int[] ChooseLoops(IReadOnlyList<NumaEventLoop> loops, int count, IReadOnlyList<int> used)
    {
        if (count == 0)
        {
            return [.. Enumerable.Range(0, loops.Count)];
        }

        var own = new int[loops.Count];
        var chosen = new List<int>(count);
        for (var i = 0; i < count; i++)
        {
            var loop = Enumerable.Range(0, loops.Count)
                .OrderBy(index => OnNode(loops, own, index))
                .ThenBy(index => own[index])
                .ThenBy(index => used[index])
                .First();
            own[loop]++;
            chosen.Add(loop);
        }

        // In the order of the loops, as the table numbers them.
        chosen.Sort();
        return [.. chosen];
    }

    /// <summary>Maps each CPU to a shard: one on the CPU's own loop if there is one, otherwise one of its node.</summary>
    /// <param name="plan">The plan.</param>
    /// <param name="loops">Its loops.</param>
    /// <param name="shards">The loop of each shard.</param>
    public static SteeringTable TableFor(NumaPlan plan, IReadOnlyList<NumaEventLoop> loops, IReadOnlyList<int> shards)
    {
        var positions = Enumerable.Range(0, shards.Count).ToArray();
        return new SteeringTable(plan).Renumber(loop =>
        {
            int[] own = [.. positions.Where(shard => shards[shard] == loop)];
            int[] near = own.Length > 0 ? own : [.. positions.Where(shard => IsBeside(shards[shard], loop))];
            return near.Length == 0 ? SteeringTable.NoLoop : near[loop % near.Length];
        });

        bool IsBeside(int one, int other) => loops[one].NodeIndex == loops[other].NodeIndex;
    }

    private static int OnNode(IReadOnlyList<NumaEventLoop> loops, int[] own, int index) =>
        own.Where((_, other) => loops[other].NodeIndex == loops[index].NodeIndex).Sum();
}
