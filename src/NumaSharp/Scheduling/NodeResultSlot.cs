namespace NumaSharp.Scheduling;

/// <summary>Keeps one result object for the next read: enough for one reader at a time.</summary>
internal sealed class NodeResultSlot<T>(WorkerGroup group)
{
    private NodeResult<T>? _free;

    /// <summary>The result itself where it is there and the caller is on the node, else one that brings the caller there.</summary>
    public ValueTask<T> OnNode(ValueTask<T> result) =>
        result.IsCompleted && Worker.Current?.Group == group
            ? result
            : (Interlocked.Exchange(ref _free, null) ?? new NodeResult<T>(group, this)).Of(result);

    public void Return(NodeResult<T> result) => Volatile.Write(ref _free, result);
}
