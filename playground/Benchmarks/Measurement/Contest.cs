using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Sides that do the same work in turns. Every row gets a ratio per round, of runs that met the same neighbours on the
/// machine, and is the round with the median ratio.
/// </summary>
internal sealed class Contest(IReadOnlyList<ContestRow> rows) : IRowSource
{
    // A run is that many, and the fastest of them counts: an interrupt, or a neighbour of the virtual machine, is in one.
    private const int Parts = 5;

    // Shorter runs say nothing about how many operations a whole one takes.
    private static readonly TimeSpan s_telling = TimeSpan.FromMilliseconds(2);

    private readonly IReadOnlyList<Contestant> _sides = [.. rows.SelectMany(static row => row.Sides).Distinct()];

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [.. rows.Select(static row => (row.Name, row.Target))];

    public IEnumerable<PeerLibrary> Libraries => _sides.Select(static side => side.Library).OfType<PeerLibrary>();

    public string? Unavailable { get; init; }

    /// <summary>What a side may take of a pass of the warm-up: for operations that come in large steps only.</summary>
    public TimeSpan WarmUpLimit { get; init; } = TimeSpan.MaxValue;

    public IRowSource? Where(Func<string, bool> isWanted)
    {
        ContestRow[] left = [.. rows.Where(row => isWanted(row.Name))];
        return left.Length == 0 ? null : With(left);
    }

    public IRowSource? AgainstItself()
    {
        ContestRow[] again = [.. rows.Select(static row => row.AgainstItself()).OfType<ContestRow>()];
        return again.Length == 0 ? null : With(again);
    }

    public async Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        foreach (var side in _sides)
        {
            side.Verify?.Invoke();
        }

        await WarmUp.RunAsync(
            [.. _sides.Select(static side => (Action)(() => side.Measure(side.Step)))], WarmUpLimit, cancellation);
        int[] operations = [.. _sides.Select(side => OperationsOf(side, lengths.Run / Parts))];
        var rounds = new List<Dictionary<Contestant, double>>();
        for (var round = 0; round < lengths.Rounds; round++)
        {
            var taken = new Dictionary<Contestant, double>();
            foreach (var side in Alternation.Order(_sides.Count, round))
            {
                cancellation.ThrowIfCancellationRequested();
                taken.Add(_sides[side], FastestPart(_sides[side], operations[side]));
            }

            rounds.Add(taken);
        }

        foreach (var row in rows)
        {
            report(row.Judge(rounds));
        }
    }

    /// <summary>How many operations take about as long as a part of a run should.</summary>
    internal static int OperationsOf(Contestant side, TimeSpan part)
    {
        for (var operations = side.Step; ; operations *= 2)
        {
            // The fastest of several: one that was interrupted would make all later runs too short.
            var taken = FastestPart(side, operations) * operations;
            if (taken >= s_telling.TotalNanoseconds || operations > int.MaxValue / 4)
            {
                var steps = operations / side.Step * (part.TotalNanoseconds / taken);
                return (int)Math.Clamp(steps, 1, int.MaxValue / side.Step) * side.Step;
            }
        }
    }

    private Contest With(IReadOnlyList<ContestRow> others) =>
        new(others) { Unavailable = Unavailable, WarmUpLimit = WarmUpLimit };

    private static double FastestPart(Contestant side, int operations) =>
        Enumerable.Range(0, Parts).Min(_ => side.Measure(operations));
}
