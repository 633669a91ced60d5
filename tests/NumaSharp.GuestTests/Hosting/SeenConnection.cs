namespace NumaSharp.GuestTests.Hosting;

/// <summary>What a connection's handler saw of the machine.</summary>
/// <param name="Loop">The number of the connection's loop.</param>
/// <param name="Node">The connection's node.</param>
/// <param name="ThreadNodes">The nodes that the handler ran on.</param>
/// <param name="ThreadCpus">The CPUs that it ran on.</param>
/// <param name="InputNodes">The nodes of the buffers that were received into.</param>
/// <param name="OutputNodes">The nodes of the buffers that were sent from.</param>
internal sealed record SeenConnection(
    int Loop,
    int Node,
    SortedSet<int> ThreadNodes,
    SortedSet<int> ThreadCpus,
    SortedSet<int> InputNodes,
    SortedSet<int> OutputNodes)
{
    /// <summary>What a test that fails prints: a record would name the sets' types.</summary>
    public override string ToString() =>
        $"loop {Loop} of node {Node}: "
        + $"ran on {List(ThreadNodes)} (CPUs {List(ThreadCpus)}), "
        + $"received into {List(InputNodes)}, sent from {List(OutputNodes)}";

    private static string List(SortedSet<int> nodes) => string.Join(',', nodes);
}
