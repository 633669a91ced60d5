namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
    /// <summary>The node that serves the calling thread: its worker's, else that of the CPU that it runs on.</summary>
    internal int ServingIndexOfCaller => GroupOfCaller?.NodeIndex ?? Plan.Nodes[IndexOfCaller()].ServingIndex;

    /// <summary>
    /// Calls a body for each element of the nodes' data, on all workers of all nodes at once. The workers of a node begin with
    /// its own data (and that of nodes without CPUs that they serve); when it is done, they take what is left of the nearest
    /// others, except under <see cref="NumaSchedulingPolicy.NodeStrict"/>. Between parts, other work of the nodes gets its turn.
    /// </summary>
    /// <typeparam name="T">The type of the elements.</typeparam>
    /// <param name="dataOfNode">The data of each node, by position in <see cref="Plan"/>: lists or arrays.</param>
    /// <param name="body">Is called once for each element, on several threads at a time.</param>
    /// <param name="cancellationToken">Ends the loop before the next element.</param>
    /// <returns>
    /// A task that ends when all elements are done. When a call fails, the others end before their next element, and the task
    /// has the exceptions.
    /// </returns>
    /// <exception cref="ArgumentException">There is not one list for each node.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public Task ForEachOnNodes<T>(
        IReadOnlyList<IReadOnlyList<T>> dataOfNode, Action<T> body, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(body);
        var loop = new NodeLoop(this, NodeRanges.LengthsOf(this, dataOfNode), cancellationToken);
        return loop.Run((loop, range) =>
        {
            var list = dataOfNode[range.NodeIndex];
            for (var i = range.Start; i < range.End && loop.MayGoOn; i++)
            {
                body(list[i]);
            }
        });
    }

    /// <summary>
    /// Calls a body for ranges of the nodes' data, on all workers of all nodes at once: for data of any kind, and for loops
    /// that are too short for a call for each element.
    /// </summary>
    /// <param name="lengthOfNode">How many elements each node has, by position in <see cref="Plan"/>; each 0 or more.</param>
    /// <param name="body">Is called with ranges that together are all elements, on several threads at a time.</param>
    /// <param name="cancellationToken">Ends the loop before the next range.</param>
    /// <exception cref="ArgumentException">There is not one length for each node, or one is negative.</exception>
    /// <inheritdoc cref="ForEachOnNodes{T}"/>
    public Task ForEachOnNodes(
        IReadOnlyList<int> lengthOfNode, Action<NumaRange> body, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(body);
        var loop = new NodeLoop(this, NodeRanges.Check(this, lengthOfNode), cancellationToken);
        return loop.Run((_, range) => body(range));
    }

    /// <summary>Begins a method on each worker that the plan gives the nodes.</summary>
    internal Task RunOnAllWorkers(Func<WorkerGroup, Task> work)
    {
        ThrowIfClosed();
        return Task.WhenAll(_groups.SelectMany(group => Enumerable.Range(0, group.BaseCount).Select(_ => work(group))));
    }
}
