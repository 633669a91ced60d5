using System.Collections.Concurrent;

namespace NumaSharp.Scheduling;

/// <summary>
/// A partitioner of which every enumerator is a partition: all that come of one enumerable share what is left to do.
/// </summary>
internal abstract class NodePartitioner<T> : Partitioner<T>
{
    public override bool SupportsDynamicPartitions => true;

    public override IList<IEnumerator<T>> GetPartitions(int partitionCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(partitionCount, 1);
        var partitions = GetDynamicPartitions();
        return [.. Enumerable.Range(0, partitionCount).Select(_ => partitions.GetEnumerator())];
    }

    public abstract override IEnumerable<T> GetDynamicPartitions();
}
