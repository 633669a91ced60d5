namespace NumaSharp.Core;

/// <summary>How strictly memory is bound to a node.</summary>
public enum NumaBindMode
{
    /// <summary>No binding: pages come from the node of the thread that touches them first.</summary>
    None,

    /// <summary>
    /// Preferred node; where the system refuses, memory is first touched by a thread pinned to the node, and this is reported
    /// once.
    /// </summary>
    Advisory,

    /// <summary>Bound, or an exception.</summary>
    Strict,
}
