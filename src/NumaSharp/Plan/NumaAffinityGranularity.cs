namespace NumaSharp.Core;

/// <summary>
/// How many CPUs a thread gets on its node. CPUs that the kernel does not balance are always assigned one by one.
/// </summary>
public enum NumaAffinityGranularity
{
    /// <summary>All CPUs of the node that the plan uses.</summary>
    Node,

    /// <summary>The CPUs of one last-level cache; the caches of a node are filled evenly.</summary>
    Cache,

    /// <summary>One physical core.</summary>
    Core,

    /// <summary>One CPU; siblings of a core only when there are more threads than cores.</summary>
    Cpu,
}
