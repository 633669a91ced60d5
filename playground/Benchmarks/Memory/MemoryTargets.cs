using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The targets of the allocator, ours / theirs, by block size, where there is one.</summary>
internal static class MemoryTargets
{
    private const int Kilobyte = BlockSize.Kilobyte;

    public static RowTarget SlowestAgainstFastest { get; } = new(1.3, 1.15);

    public static RowTarget Nested { get; } = new(0.65, 0.5);

    public static RowTarget RemoteFree { get; } = new(1.2, 1.1);

    public static RowTarget SharedPool { get; } = new(0.5, 0.3);

    public static RowTarget Resident { get; } = new(1.1, 0.95);

    public static RowTarget Single(string peer, int size) => peer switch
    {
        "mimalloc" => Mimalloc(size),
        "jemalloc" => Jemalloc(size),
        _ => NativeMemory(size),
    };

    public static RowTarget Bulk(int size) => size switch
    {
        64 => new(1.2, 0.9),
        >= 4 * Kilobyte and <= 64 * Kilobyte => new(0.5, 0.4),
        256 * Kilobyte => new(0.15, 0.1),
        _ => default,
    };

    public static RowTarget TwoThreads(int size) => size switch
    {
        64 => new(0.8, 0.6),
        4 * Kilobyte => new(0.4, 0.3),
        _ => default,
    };

    public static RowTarget CrossThread(int size) => size switch
    {
        64 => new(0.45, 0.3),
        >= 4 * Kilobyte => new(0.15, 0.1),
        _ => default,
    };

    private static RowTarget Mimalloc(int size) => size switch
    {
        <= 64 => new(1.0, 0.7),
        >= 256 and <= Kilobyte => new(0.8, 0.6),
        >= 4 * Kilobyte and <= 64 * Kilobyte => new(0.45, 0.35),
        256 * Kilobyte => new(0.1, 0.05),
        _ => default,
    };

    private static RowTarget Jemalloc(int size) => size switch
    {
        4 * Kilobyte => new(0.7, 0.6),
        16 * Kilobyte => new(0.4, 0.35),
        >= 64 * Kilobyte => new(0.05, 0.03),
        _ => default,
    };

    private static RowTarget NativeMemory(int size) => size switch
    {
        <= Kilobyte => new(0.75, 0.6),
        >= 4 * Kilobyte => new(0.45, 0.3),
        _ => default,
    };
}
