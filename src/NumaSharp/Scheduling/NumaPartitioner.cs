using System.Collections.Concurrent;

namespace NumaSharp.Scheduling;

/// <summary>
/// Partitioners over data that lies on nodes, for <see cref="Parallel"/> and PLINQ: each thread that takes part gets the data of
/// the node that it runs on first, in parts that become smaller, then what is left of the nearest others.
/// </summary>
/// <remarks>
/// Where <see cref="Parallel"/> runs is decided by <see cref="ParallelOptions.TaskScheduler"/>: it starts on one node and is
/// spread to others by stealing, or in turn under <see cref="NumaSchedulingPolicy.Spread"/>; under
/// <see cref="NumaSchedulingPolicy.NodeStrict"/> it stays on one.
/// <see cref="NumaTaskScheduler.ForEachOnNodes{T}"/> starts on all nodes at once.
/// </remarks>
public static class NumaPartitioner
{
    /// <summary>Partitions elements in lists or arrays, one per node.</summary>
    /// <typeparam name="T">The type of the elements.</typeparam>
    /// <param name="scheduler">The scheduler whose nodes these are.</param>
    /// <param name="dataOfNode">The data of each node, by position in <see cref="NumaTaskScheduler.Plan"/>.</param>
    /// <returns>A partitioner with dynamic partitions; it may be used several times.</returns>
    /// <exception cref="ArgumentException">There is not one list for each node.</exception>
    public static Partitioner<T> Create<T>(NumaTaskScheduler scheduler, IReadOnlyList<IReadOnlyList<T>> dataOfNode)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return new NodeDataPartitioner<T>(scheduler, dataOfNode);
    }

    /// <summary>
    /// Partitions index ranges, for data of any kind: the loop over a range and the access to the data are the caller's.
    /// </summary>
    /// <param name="scheduler">The scheduler whose nodes these are.</param>
    /// <param name="lengthOfNode">
    /// How many elements each node has, by position in <see cref="NumaTaskScheduler.Plan"/>; each 0 or more.
    /// </param>
    /// <returns>A partitioner with dynamic partitions; it may be used several times.</returns>
    /// <exception cref="ArgumentException">There is not one length for each node, or one is negative.</exception>
    public static Partitioner<NumaRange> CreateRanges(NumaTaskScheduler scheduler, IReadOnlyList<int> lengthOfNode)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return new NodeRangePartitioner(scheduler, lengthOfNode);
    }
}
