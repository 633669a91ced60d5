namespace NumaSharp.Scheduling;

/// <summary>Hands out the elements of the nodes' lists to whoever enumerates, nearest first.</summary>
internal sealed class NodeDataPartitioner<T> : NodePartitioner<T>
{
    private readonly NumaTaskScheduler _scheduler;
    private readonly IReadOnlyList<IReadOnlyList<T>> _data;

    public NodeDataPartitioner(NumaTaskScheduler scheduler, IReadOnlyList<IReadOnlyList<T>> dataOfNode)
    {
        _scheduler = scheduler;
        _data = dataOfNode;
        _ = NodeRanges.LengthsOf(scheduler, dataOfNode);
    }

    // The lengths are those at this moment.
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
