namespace NumaSharp.GuestProbe.Locality;

/// <summary>The rows' names, which docs/guide/benchmarks.md explains. The tests of the docs compare them.</summary>
internal static class LocalityRows
{
    /// <summary>The probe's argument.</summary>
    public const string Argument = "--locality";

    public const string AtReader = "buffers at reader vs sockets";
    public const string AtPackets = "buffers at packets vs sockets";

    public const string Blocks = "blocks";
    public const string Heap = "heap";

    public const string SharedPool = "MemoryPool";
    public const string KestrelsPool = "Kestrel";
    public const string Malloc = "NativeMemory";

    private const string Moved = "moved";

    private static readonly string[] s_moments = ["first", "recycled", Moved];

    /// <summary>In the order of the report.</summary>
    public static string[] All =>
        [AtReader, AtPackets, .. Of(Blocks, SharedPool), .. Of(Blocks, KestrelsPool), .. Of(Heap, Malloc)];

    /// <summary>The rows of a kind of block against one of its peers, in the order in which they are measured.</summary>
    public static IEnumerable<string> Of(string kind, string peer) => s_moments.Select(moment => $"{kind} {moment} vs {peer}");

    /// <summary>
    /// Whether every page of ours is on the right node, by what is bound. Where application code runs is not bound, and a thread
    /// that moves gets memory of its former node for a while.
    /// </summary>
    public static bool IsPromised(string row) => row != AtReader && !row.Contains($" {Moved} ", StringComparison.Ordinal);
}
