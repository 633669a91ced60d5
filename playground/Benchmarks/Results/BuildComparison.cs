using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>
/// Has two builds measure the same kinds in turns, and compares their ratios to the peers: each build meets its peers in one process,
/// and what the machine does in that minute is in both.
/// </summary>
/// <param name="kinds">In this order.</param>
/// <param name="rounds">How often; every other one begins with this build.</param>
/// <param name="measure">
/// Has the earlier build, or this one, write the result of a kind to a file; gives the reason if there is none.
/// </param>
/// <param name="rest">Lets the machine come to rest between two of them.</param>
/// <param name="output">Gets what is done, and the tables.</param>
internal sealed class BuildComparison(
    IReadOnlyList<string> kinds,
    int rounds,
    Func<bool, string, FileInfo, CancellationToken, Task<string?>> measure,
    Func<CancellationToken, Task> rest,
    TextWriter output)
{
    private readonly Dictionary<string, string> _reasons = new(StringComparer.Ordinal);

    public async Task<int> RunAsync(string path, CancellationToken cancellation)
    {
        Directory.CreateDirectory(path);
        for (var round = 0; round < rounds; round++)
        {
            foreach (var kind in kinds)
            {
                foreach (var isEarlier in round % 2 == 0 ? [true, false] : new[] { false, true })
                {
                    if (!_reasons.ContainsKey(kind))
                    {
                        await MeasureAsync(path, round, kind, isEarlier, cancellation);
                    }
                }
            }
        }

        foreach (var kind in kinds.Where(kind => !_reasons.ContainsKey(kind)))
        {
            await ShowAsync(path, kind);
        }

        foreach (var (kind, reason) in _reasons)
        {
            await output.WriteLineAsync($"{kind}: not compared: {reason}");
        }

        return _reasons.Count == 0 ? ExitCodes.Completed : ExitCodes.Failed;
    }

    private async Task MeasureAsync(string path, int round, string kind, bool isEarlier, CancellationToken cancellation)
    {
        await rest(cancellation);
        cancellation.ThrowIfCancellationRequested();
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"== {kind}, {NameOf(isEarlier)} build, round {round + 1} of {rounds}"));
        if (await measure(isEarlier, kind, FileOf(path, round, kind, isEarlier), cancellation) is { } reason)
        {
            _reasons.Add(kind, $"{NameOf(isEarlier)} build: {reason}");
        }
    }

    private async Task ShowAsync(string path, string kind)
    {
        var (earlier, now) = (RowsOf(path, kind, isEarlier: true), RowsOf(path, kind, isEarlier: false));
        var compared = ComparedRow.Of(earlier, now);
        await output.WriteLineAsync($"== {kind}");
        await output.WriteLineAsync($"{"row",-34} {"earlier",8} {"this",8} {"change",7} {"+-",6}");
        foreach (var row in compared)
        {
            await output.WriteLineAsync(row.ToString());
        }

        foreach (var (name, others) in new[] { ("earlier", earlier.Except(now)), ("this", now.Except(earlier)) })
        {
            if (others.Any())
            {
                await output.WriteLineAsync($"only in {name} build: {string.Join("; ", others.Order(StringComparer.Ordinal))}");
            }
        }

        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"{kind}: {compared.Count} rows, slower: {compared.Count(static row => row.IsSlower)}"));
    }

    private BuildRows RowsOf(string path, string kind, bool isEarlier) => new(
        [.. Enumerable.Range(0, rounds).Select(round => BenchmarkJson.ReadRows(FileOf(path, round, kind, isEarlier).FullName))]);

    private static FileInfo FileOf(string path, int round, string kind, bool isEarlier) => new(Path.Combine(
        path, string.Create(CultureInfo.InvariantCulture, $"{kind}-{round + 1}-{NameOf(isEarlier)}.json")));

    private static string NameOf(bool isEarlier) => isEarlier ? "earlier" : "this";
}

/// <summary>What a build has measured of a kind.</summary>
internal sealed class BuildRows(IReadOnlyList<IReadOnlyList<MeasuredRow>> rounds)
{
    // In the order of the first round. A row that a round lacks, for whatever reason, is no row to compare.
    private readonly Dictionary<string, double[]> _ratios = rounds[0]
        .Select(static measured => KeyOf(measured.Row))
        .Distinct(StringComparer.Ordinal)
        .Select(key => (Key: key, Ratios: rounds.SelectMany(round =>
            round.Where(measured => KeyOf(measured.Row) == key).Take(1).Select(static measured => measured.Row.Ratio)).ToArray()))
        .Where(row => row.Ratios.Length == rounds.Count)
        .ToDictionary(static row => row.Key, static row => row.Ratios, StringComparer.Ordinal);

    public IEnumerable<string> Names => _ratios.Keys;

    public double[] RatiosOf(string name) => _ratios[name];

    /// <summary>The rows that the other one has not.</summary>
    public IEnumerable<string> Except(BuildRows other) => Names.Except(other.Names, StringComparer.Ordinal);

    // The same work against another peer is another row.
    private static string KeyOf(BenchmarkRow row) => $"{row.Name} ({row.Peer})";
}

/// <summary>A row that both builds have.</summary>
/// <param name="Name">With its peer.</param>
/// <param name="Earlier">The ratio of the earlier build to its peer.</param>
/// <param name="Now">The ratio of this build.</param>
/// <param name="Change">This build's ratio as a share of the earlier one's; absent where that is 0.</param>
/// <param name="Floor">How far the ratios of one build are apart, as a share of their median; the larger of both.</param>
internal sealed record ComparedRow(string Name, double Earlier, double Now, double? Change, double Floor)
{
    private const double Allowed = 1.03;

    /// <summary>Whether this build's ratio is more than 3 % above the earlier one's, beyond the floor.</summary>
    public bool IsSlower => Change is { } change ? change > Allowed + Floor : Now > 0;

    public static IReadOnlyList<ComparedRow> Of(BuildRows earlier, BuildRows now) =>
    [
        .. now.Names.Intersect(earlier.Names, StringComparer.Ordinal)
            .Select(name => Of(name, earlier.RatiosOf(name), now.RatiosOf(name))),
    ];

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Name,-34} {Earlier,8:N3} {Now,8:N3} {Change,7:N3} {Floor,6:P0} {(IsSlower ? "SLOWER" : "")}").TrimEnd();

    // Of the round in the middle: both builds have met the same neighbours in it.
    private static ComparedRow Of(string name, double[] earlier, double[] now)
    {
        if (Array.Exists(earlier, static ratio => ratio <= 0))
        {
            return new ComparedRow(name, earlier.Max(), now.Max(), null, 0);
        }

        double[] changes = [.. now.Zip(earlier, static (ours, theirs) => ours / theirs)];
        var middle = Statistics.MiddleRound(changes);
        return new ComparedRow(
            name, earlier[middle], now[middle], changes[middle], Math.Max(FloorOf(earlier), FloorOf(now)));
    }

    private static double FloorOf(double[] ratios) =>
        Statistics.Spread(ratios) is var spread && double.IsFinite(spread) ? spread : 0;
}
