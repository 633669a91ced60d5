using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>What a build has measured of a kind.</summary>
internal sealed class BuildRows(IReadOnlyList<IReadOnlyList<MeasuredRow>> rounds)
{
    // In the order of the first round. A row that a round lacks, for whatever reason, is no row to compare.
    private readonly Dictionary<string, BenchmarkRow[]> _rows = rounds[0]
        .Select(static measured => KeyOf(measured.Row))
        .Distinct(StringComparer.Ordinal)
        .Select(key => (Key: key, Rows: rounds.SelectMany(round =>
            round.Where(measured => KeyOf(measured.Row) == key).Take(1).Select(static measured => measured.Row)).ToArray()))
        .Where(row => row.Rows.Length == rounds.Count)
        .ToDictionary(static row => row.Key, static row => row.Rows, StringComparer.Ordinal);

    public IEnumerable<string> Names => _rows.Keys;

    /// <summary>What a row was in each round.</summary>
    public IReadOnlyList<BenchmarkRow> this[string name] => _rows[name];

    /// <summary>The rows that the other one has not.</summary>
    public IEnumerable<string> Except(BuildRows other) => Names.Except(other.Names, StringComparer.Ordinal);

    // The same work against another peer is another row.
    private static string KeyOf(BenchmarkRow row) => $"{row.Name} ({row.Peer})";
}
