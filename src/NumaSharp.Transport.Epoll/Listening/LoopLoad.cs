using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Compares loops by their open connections. Called on all loops concurrently: the counts may be out of date by a few
/// connections.
/// </summary>
internal sealed class LoopLoad(IReadOnlyList<LoopCounters> loops)
{
    private uint _turn;

    public NumaNodeId NodeOf(int loop) => loops[loop].NodeId;

    public long ActiveOn(int loop) => loops[loop].Active;

    /// <summary>The least loaded loop of all; ties take turns.</summary>
    public int Least() => Least(NextTurn());

    /// <summary>The least loaded loop of all; ties go to the preferred one, so a connection is not moved needlessly.</summary>
    public int Least(int preferred) => Search(preferred, static (_, _) => true, default(NumaNodeId))!.Value;

    /// <summary>The least loaded loop of a node; of all if it has none (Binding:NetworkDevice). Ties take turns.</summary>
    public int LeastOn(NumaNodeId nodeId)
    {
        var turn = NextTurn();
        return Search(turn, static (loop, nodeId) => loop.NodeId == nodeId, nodeId) ?? Least(turn);
    }

    /// <summary>The least loaded loop on the same node; ties go to the given loop.</summary>
    public int LeastNear(int preferred) =>
        Search(preferred, static (loop, nodeId) => loop.NodeId == nodeId, NodeOf(preferred))!.Value;

    /// <summary>The last-level cache of its node, of several, that a loop stays in; -1 for none.</summary>
    public int CacheOf(int loop) => loops[loop].Cache;

    /// <summary>The least loaded loop of the same node in the same last-level cache; ties go to the given loop.</summary>
    public int LeastInCache(int preferred) =>
        Search(
            preferred,
            static (loop, home) => loop.NodeId == home.NodeId && loop.Cache == home.Cache,
            (NodeId: NodeOf(preferred), Cache: CacheOf(preferred))) ?? preferred;

    private int NextTurn() => (int)(Interlocked.Increment(ref _turn) % (uint)loops.Count);

    private int? Search<T>(int first, Func<LoopCounters, T, bool> isWanted, T argument)
    {
        int? least = null;
        var fewest = long.MaxValue;
        for (var i = 0; i < loops.Count && fewest > 0; i++)
        {
            var loop = (first + i) % loops.Count;
            var active = ActiveOn(loop);
            if (active < fewest && isWanted(loops[loop], argument))
            {
                (least, fewest) = (loop, active);
            }
        }

        return least;
    }
}
