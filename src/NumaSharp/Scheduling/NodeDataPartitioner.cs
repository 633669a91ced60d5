using System.Collections.Concurrent;

namespace NumaSharp.Scheduling;

/// <summary>Hands out the elements of the nodes' lists to whoever enumerates, nearest first.</summary>
internal sealed class NodeDataPartitioner<T> : Partitioner<T>
{
    private readonly NumaTaskScheduler _scheduler;
    private readonly IReadOnlyList<IReadOnlyList<T>> _data;

    public NodeDataPartitioner(NumaTaskScheduler scheduler, IReadOnlyList<IReadOnlyList<T>> dataOfNode)
    {
        _scheduler = scheduler;
        _data = dataOfNode;
        _ = NodeRanges.LengthsOf(scheduler, dataOfNode);
    }

    public override bool SupportsDynamicPartitions => true;

    public override IList<IEnumerator<T>> GetPartitions(int partitionCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(partitionCount, 1);
        var partitions = GetDynamicPartitions();
        return [.. Enumerable.Range(0, partitionCount).Select(_ => partitions.GetEnumerator())];
    }

    // The lengths are those at this moment. One state for all enumerators of what is returned; each of them is a partition.
    public override IEnumerable<T> GetDynamicPartitions() =>
        Enumerate(_data, new NodeRanges(_scheduler, NodeRanges.LengthsOf(_scheduler, _data)));

    private static IEnumerable<T> Enumerate(IReadOnlyList<IReadOnlyList<T>> data, NodeRanges ranges)
    {
        while (ranges.TryTake(out var range))
        {
            var list = data[range.NodeIndex];
            for (var i = range.Start; i < range.End; i++)
            {
                yield return list[i];
            }
        }
    }
}
