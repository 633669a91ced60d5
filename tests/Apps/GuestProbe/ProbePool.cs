namespace NumaSharp.GuestProbe;

/// <summary>What a node's pool got.</summary>
/// <param name="NodeId">The node it is for.</param>
/// <param name="MemoryNodeId">The node that the plan wants its memory from.</param>
/// <param name="Policy">The memory policy of the mapping.</param>
/// <param name="PageNodes">The node that its first page is on, as a kernel list.</param>
internal sealed record ProbePool(int NodeId, int MemoryNodeId, string Policy, string PageNodes);
