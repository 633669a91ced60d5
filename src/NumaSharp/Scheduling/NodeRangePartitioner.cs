namespace NumaSharp.Scheduling;

/// <summary>Hands out ranges of the nodes' data to whoever enumerates, nearest first.</summary>
internal sealed class NodeRangePartitioner : NodePartitioner<NumaRange>
{
    private readonly NumaTaskScheduler _scheduler;
    private readonly int[] _lengths;

    public NodeRangePartitioner(NumaTaskScheduler scheduler, IReadOnlyList<int> lengthOfNode)
    {
        _scheduler = scheduler;
        _lengths = NodeRanges.Check(scheduler, lengthOfNode);
    }

    public override IEnumerable<NumaRange> GetDynamicPartitions() => Enumerate(new NodeRanges(_scheduler, _lengths));

    private static IEnumerable<NumaRange> Enumerate(NodeRanges ranges)
    {
        while (ranges.TryTake(out var range))
        {
            yield return range;
        }
    }
}
