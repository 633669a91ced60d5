namespace NumaSharp.Tool.Run;

/// <summary>The memory policy of a new process.</summary>
internal enum NodeMemoryPolicy
{
    /// <summary>The node's memory first, others when it is full (MPOL_PREFERRED).</summary>
    Preferred,

    /// <summary>The node's memory only (MPOL_BIND).</summary>
    Strict,
}
