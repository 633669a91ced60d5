namespace NumaSharp.Tool.Matrix;

/// <summary>Which CPUs get a row.</summary>
internal enum MatrixGranularity
{
    /// <summary>One per node.</summary>
    Node,

    /// <summary>One per last-level cache; as <see cref="Node"/> where caches are not known.</summary>
    Cache,

    /// <summary>Every one.</summary>
    Cpu,
}
