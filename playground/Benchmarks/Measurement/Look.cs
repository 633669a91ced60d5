using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Rows of one measurement in which sides do not alternate.</summary>
/// <param name="Table">The rows.</param>
/// <param name="Measure">The measurement.</param>
internal sealed record Look<T>(
    IReadOnlyList<LookRow<T>> Table, Func<ContestLengths, CancellationToken, Task<T>> Measure) : IRowSource
{
    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [.. Table.Select(static row => (row.Name, row.Target))];

    public IEnumerable<PeerLibrary> Libraries { get; init; } = [];

    public string? Unavailable { get; init; }

    public IRowSource? Where(Func<string, bool> isWanted) =>
        Table.Where(row => isWanted(row.Name)).ToArray() is { Length: > 0 } left ? this with { Table = left } : null;

    public async Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        var found = await Measure(lengths, cancellation);
        foreach (var row in Table)
        {
            report(new MeasuredRow(row.Of(found), null));
        }
    }
}
