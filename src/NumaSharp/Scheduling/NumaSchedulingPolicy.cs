namespace NumaSharp.Scheduling;

/// <summary>How a <see cref="NumaTaskScheduler"/> trades locality for balance.</summary>
public enum NumaSchedulingPolicy
{
    /// <summary>Work runs on its node; workers without work steal from other nodes, nearest first.</summary>
    LocalityFirst,

    /// <summary>Work never leaves its node, even when other nodes are idle.</summary>
    NodeStrict,

    /// <summary>
    /// Tasks that name no node go to the nodes in turn; otherwise as <see cref="LocalityFirst"/>. For work on data that is
    /// interleaved over all nodes.
    /// </summary>
    Spread,
}
