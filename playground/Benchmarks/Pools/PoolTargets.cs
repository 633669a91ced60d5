using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>The targets of the pool, ours / Kestrel's.</summary>
internal static class PoolTargets
{
    public static RowTarget Single { get; } = new(0.6, 0.45);

    public static RowTarget Nested { get; } = new(0.6, 0.4);

    public static RowTarget TwoThreads { get; } = new(0.35, 0.25);

    public static RowTarget CrossThread { get; } = new(0.4, 0.3);

    public static RowTarget Megamorphic { get; } = new(0.7, 0.5);

    public static RowTarget LoopHandle { get; } = new(0.3, 0.2);

    public static RowTarget Shuffled { get; } = new(0.9, 0.6);

    /// <summary>Ours where mbind is refused / ours where it is allowed.</summary>
    public static RowTarget RefusedBinding { get; } = new(1.1, null);
}
