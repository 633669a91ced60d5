namespace NumaSharp.Tool.Matrix;

/// <summary>The CPUs that get a row.</summary>
internal enum MatrixGranularity
{
    /// <summary>One per node.</summary>
    Node,

    /// <summary>One per last-level cache; as <see cref="Node"/> if the caches are unknown.</summary>
    Cache,

    /// <summary>Every CPU.</summary>
    Cpu,
}
