namespace NumaSharp.Core.Memory;

/// <summary>What the modes of allocator and pools have in common.</summary>
internal static class MemoryModes
{
    private const int MostInMessage = 10;

    public static void Check(NumaMemoryCheckMode checks)
    {
        if (!Enum.IsDefined(checks))
        {
            throw new ArgumentOutOfRangeException(
                nameof(checks), checks, $"Checks must be one of {string.Join(", ", Enum.GetNames<NumaMemoryCheckMode>())}.");
        }
    }

    public static InvalidOperationException Misuse(string what) => new(char.ToUpperInvariant(what[0]) + what[1..]);

    /// <summary>As many findings as fit into a message.</summary>
    public static string Join(IEnumerable<string> findings) => string.Join(' ', findings.Take(MostInMessage));

    /// <summary>Blocks in use by the place that allocated them, those with the most bytes first.</summary>
    public static IReadOnlyList<NumaLiveBlocks> ByPlace(
        IEnumerable<(AllocationSite? Site, NumaNodeId NodeId, long Bytes)> blocks) =>
    [
        .. blocks.GroupBy(static block => (block.Site, block.NodeId))
            .Select(static group => new NumaLiveBlocks(
                group.Key.Site?.ToString() ?? string.Empty,
                group.Key.NodeId,
                group.LongCount(),
                group.Sum(static block => block.Bytes)))
            .OrderByDescending(static live => live.Bytes),
    ];

    /// <summary>What is left at the end, as the end of a sentence.</summary>
    public static string Describe(IReadOnlyList<NumaLiveBlocks> live) =>
        $"{live.Sum(static blocks => blocks.Blocks)} blocks of {live.Sum(static blocks => blocks.Bytes)} bytes in use: "
        + string.Join("; ", live.Take(MostInMessage).Select(static blocks =>
            $"{blocks.Blocks} of {blocks.Bytes} bytes on node {blocks.NodeId} from [{blocks.Site}]"));
}

/// <summary>The fill bytes of checked memory: values that are no addresses, lengths or text.</summary>
internal static class GuardBytes
{
    /// <summary>Around a block that is in use.</summary>
    public const byte Margin = 0xC9;

    /// <summary>A block that was just handed out.</summary>
    public const byte New = 0xA5;

    /// <summary>A block that is free.</summary>
    public const byte Freed = 0x5A;
}
