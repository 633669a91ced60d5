using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Sides that do the same work in turns. Every row gets a ratio per round, of runs that met the same neighbours on the
/// machine, and is the round with the median ratio.
/// </summary>
internal sealed record Contest(IReadOnlyList<ContestRow> Table) : IRowSource
{
    private const int UsualRuns = 5;
    private const int CalibrationRuns = 5;

    // Shorter runs do not show how many operations a whole one takes.
    private static readonly TimeSpan s_telling = TimeSpan.FromMilliseconds(2);

    /// <summary>Of each side in a round, forward and backward; what is done in them is added up.</summary>
    public int Turns { get; init; } = 1;

    /// <summary>Of a turn; the fastest counts: an interrupt, or a neighbour of the virtual machine, is in one.</summary>
    public int Runs { get; init; } = UsualRuns;

    /// <summary>What a run takes of <see cref="ContestLengths.Run"/>.</summary>
    public double Share { get; init; } = 1.0 / UsualRuns;

    /// <summary>How many threads the thread pool has during the contest; null leaves it alone.</summary>
    public int? PoolThreads { get; init; }

    /// <summary>What a side may take of a pass of the warm-up: for operations that come in large steps only.</summary>
    public TimeSpan WarmUpLimit { get; init; } = TimeSpan.MaxValue;

    public string? Unavailable { get; init; }

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [.. Table.Select(static row => (row.Name, row.Target))];

    public IEnumerable<PeerLibrary> Libraries => Sides.Select(static side => side.Library).OfType<PeerLibrary>();

    private IEnumerable<Contestant> Sides => Table.SelectMany(static row => row.Sides).Distinct();

    public IRowSource? Where(Func<string, bool> isWanted) => With(Table.Where(row => isWanted(row.Name)));

    public IRowSource? AgainstItself()
    {
        var again = Sides.ToDictionary(static side => side, static side => side.Again());

        // Rows against the same peer would be one measurement under several names.
        return With(Table.Select(row => row.AgainstItself(again)).OfType<ContestRow>().DistinctBy(static row => row.Subject));
    }

    public async Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        using var pool = PoolThreads is { } threads ? new PoolSize(threads) : null;
        Contestant[] sides = [.. Sides];
        Array.ForEach(sides, static side => side.Verify?.Invoke());
        var loads = new List<ILoad>();
        try
        {
            loads.AddRange(sides.Select(static side => side.Open()));
            await WarmUp.RunAsync(
                [.. sides.Zip(loads, static (side, load) => (Action)(() => load.Run(side.Step)))], WarmUpLimit, cancellation);
            int[] operations = [.. sides.Zip(loads, (side, load) => OperationsOf(load, side.Step, lengths.Run * Share))];
            var slices = await Alternation.MeasureAsync(sides.Length, lengths.Rounds * Turns, side =>
            {
                cancellation.ThrowIfCancellationRequested();
                return Task.FromResult(Fastest(Runs, loads[side], operations[side]));
            });
            var taken = sides.Zip(slices).ToDictionary(
                static side => side.First, side => side.Second.Chunk(Turns).Select(Slice.Sum).ToArray());
            foreach (var row in Table)
            {
                report(row.Judge(taken));
            }
        }
        finally
        {
            loads.ForEach(static load => load.Dispose());
        }
    }

    /// <summary>How many operations take about as long as a run should.</summary>
    internal static int OperationsOf(ILoad load, int step, TimeSpan length)
    {
        for (var operations = step; ; operations *= 2)
        {
            // The fastest of several: one that was interrupted would make all later runs too short.
            var taken = Fastest(CalibrationRuns, load, operations).Nanoseconds;
            if (taken >= s_telling.TotalNanoseconds || operations > int.MaxValue / 4)
            {
                var steps = operations / step * (length.TotalNanoseconds / taken);
                return (int)Math.Clamp(steps, 1, int.MaxValue / step) * step;
            }
        }
    }

    private static Slice Fastest(int runs, ILoad load, int operations) =>
        Enumerable.Range(0, runs).Select(_ => load.Run(operations)).MinBy(SliceFigures.Time.Of)!;

    private Contest? With(IEnumerable<ContestRow> rows) =>
        rows.ToArray() is { Length: > 0 } left ? this with { Table = left } : null;
}
