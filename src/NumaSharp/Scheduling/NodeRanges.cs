using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.Scheduling;

/// <summary>What is left to do of the data on the nodes during one loop. Each element is handed out once.</summary>
internal sealed class NodeRanges
{
    // A worker takes its share of what is left, divided by this: large parts first, single elements at the end, so that all
    // end at about the same time although elements take differently long.
    private const int PartsPerWorker = 4;

    private readonly NumaTaskScheduler _scheduler;
    private readonly int[] _lengths;
    private readonly int[] _partsOfNode;
    private readonly int[][] _nearestFirst;
    private readonly int[][] _served;
    private readonly Cursor[] _cursors;

    public NodeRanges(NumaTaskScheduler scheduler, int[] lengths)
    {
        _scheduler = scheduler;
        _lengths = lengths;
        var nodes = scheduler.Plan.Nodes;
        _partsOfNode = [.. nodes.Select(node => PartsPerWorker * Math.Max(1, nodes[node.ServingIndex].Threads))];
        _served = [.. nodes.Select(node => nodes.Where(other => other.ServingIndex == node.NodeIndex)
            .Select(static other => other.NodeIndex).ToArray())];
        _nearestFirst = [.. nodes.Select(NearestTo)];
        _cursors = new Cursor[lengths.Length];
    }

    public static int[] LengthsOf<T>(NumaTaskScheduler scheduler, IReadOnlyList<IReadOnlyList<T>> dataOfNode)
    {
        ArgumentNullException.ThrowIfNull(dataOfNode);
        return Check(scheduler, [.. dataOfNode.Select(static list => list.Count)]);
    }

    public static int[] Check(NumaTaskScheduler scheduler, IReadOnlyList<int> lengthOfNode)
    {
        ArgumentNullException.ThrowIfNull(lengthOfNode);
        var nodes = scheduler.Plan.Nodes.Count;
        if (lengthOfNode.Count != nodes)
        {
            throw new ArgumentException(
                $"Data of {lengthOfNode.Count} nodes was given; the plan has {nodes}: give each of them its own, if only empty.");
        }

        foreach (var length in lengthOfNode)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(lengthOfNode));
        }

        return [.. lengthOfNode];
    }

    /// <summary>Takes a part of the nearest data that is left, seen from the calling thread.</summary>
    public bool TryTake(out NumaRange range) => TryTakeOf(_nearestFirst[_scheduler.ServingIndexOfCaller], out range);

    /// <summary>Takes a part of the data of one node, or of those without CPUs that it serves.</summary>
    public bool TryTakeServedBy(int nodeIndex, out NumaRange range) => TryTakeOf(_served[nodeIndex], out range);

    private bool TryTakeOf(int[] nodes, out NumaRange range)
    {
        foreach (var node in nodes)
        {
            if (TryTakeOf(node, out range))
            {
                return true;
            }
        }

        range = default;
        return false;
    }

    private bool TryTakeOf(int node, out NumaRange range)
    {
        ref var next = ref _cursors[node].Next;
        while (true)
        {
            var start = Volatile.Read(ref next);
            var left = _lengths[node] - start;
            if (left <= 0)
            {
                range = default;
                return false;
            }

            var end = start + Math.Max(1, left / _partsOfNode[node]);
            if (Interlocked.CompareExchange(ref next, end, start) == start)
            {
                range = new NumaRange(node, start, end);
                return true;
            }
        }
    }

    private int[] NearestTo(NumaNodePlan node) =>
    [
        .. _served[node.ServingIndex],
        .. node.Neighbours.Where(other => other != node.ServingIndex).SelectMany(other => _served[other]),
    ];

    // Each node's workers write their own cursor: a pair of cache lines for each.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Cursor
    {
        [FieldOffset(128)]
        public int Next;
    }
}
