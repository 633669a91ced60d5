using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>One allocator in a process of its own.</summary>
internal sealed record ResidentSide(string Label, Func<string> Name, PeerLibrary? Library, Func<int, ResidentReport> Measure)
{
    public static ResidentSide Ours { get; } = Of<NumaBlocks>("ours", NumaBlocks.Trim);

    public static ResidentSide Mimalloc { get; } = Of<MimallocBlocks>("mimalloc", Peers.Mimalloc.Collect);

    public static IReadOnlyList<ResidentSide> All { get; } = [Ours, Mimalloc];

    private static ResidentSide Of<TBlocks>(string label, Action trim)
        where TBlocks : struct, IBlocks<TBlocks> => new(
        label,
        static () => TBlocks.Name,
        TBlocks.Library,
        objects => ResidentProbe.Measure<TBlocks>(objects, trim));
}
