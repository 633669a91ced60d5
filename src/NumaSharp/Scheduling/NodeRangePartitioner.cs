using System.Collections.Concurrent;

namespace NumaSharp.Scheduling;

/// <summary>Hands out ranges of the nodes' data to whoever enumerates, nearest first.</summary>
internal sealed class NodeRangePartitioner : Partitioner<NumaRange>
{
    private readonly NumaTaskScheduler _scheduler;
    private readonly int[] _lengths;

    public NodeRangePartitioner(NumaTaskScheduler scheduler, IReadOnlyList<int> lengthOfNode)
    {
        _scheduler = scheduler;
        _lengths = NodeRanges.Check(scheduler, lengthOfNode);
    }

    public override bool SupportsDynamicPartitions => true;

    public override IList<IEnumerator<NumaRange>> GetPartitions(int partitionCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(partitionCount, 1);
        var partitions = GetDynamicPartitions();
        return [.. Enumerable.Range(0, partitionCount).Select(_ => partitions.GetEnumerator())];
    }

    // One state for all enumerators of what is returned; each of them is a partition.
    public override IEnumerable<NumaRange> GetDynamicPartitions() => Enumerate(new NodeRanges(_scheduler, _lengths));

    private static IEnumerable<NumaRange> Enumerate(NodeRanges ranges)
    {
        while (ranges.TryTake(out var range))
        {
            yield return range;
        }
    }
}
