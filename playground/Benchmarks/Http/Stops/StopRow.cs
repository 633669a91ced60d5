using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>One count of all rounds, and whether it must be at most the peer's.</summary>
internal sealed record StopRow(string Name, Func<StopCounts, long> Of, bool IsRequired, bool IsOfRefusals = false)
{
    public static IReadOnlyList<StopRow> All { get; } =
    [
        new("lost", static counts => counts.Lost, IsRequired: true),
        new("refused", static counts => counts.Refused, IsRequired: false, IsOfRefusals: true),
        new("sent", static counts => counts.Sent, IsRequired: false),
    ];

    public bool Exists(StopProtocol protocol) => protocol.TellsRefused || !IsOfRefusals;

    public string NameOf(StopProtocol protocol, ServerSide side) => $"stop {protocol.Name} {Name}{side.RowSuffix}";

    public BenchmarkRow Compare(StopProtocol protocol, ServerSide side, string peer, StopCounts ours, StopCounts theirs) =>
        BenchmarkRow.Count(NameOf(protocol, side), peer, Of(ours), Of(theirs), "requests", IsRequired);
}
