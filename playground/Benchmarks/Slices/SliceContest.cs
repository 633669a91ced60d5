using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Slices;

/// <summary>
/// Sides that do the same work in short turns, forward and backward: in a round of four slices each, all meet the
/// same neighbours and the same clock of the CPU. Every row gets a ratio per round, and is the round with the median ratio.
/// </summary>
internal sealed class SliceContest(IReadOnlyList<SliceRow> rows) : IRowSource
{
    /// <summary>Of each side in a round, unless more are asked for.</summary>
    public const int UsualSlices = 4;

    // Shorter slices say nothing about how many operations a whole one takes.
    private static readonly TimeSpan s_telling = TimeSpan.FromMilliseconds(2);

    // Of a side in a pass: some operations alone take longer, and every slice has its pauses.
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(30);

    private readonly List<SliceSide> _sides =
        [.. rows.SelectMany(static row => new[] { row.Ours, row.Theirs }).Distinct()];

    /// <summary>How many threads the thread pool has meanwhile; null for as many as it thinks right.</summary>
    public int? PoolThreads { get; init; }

    public int Slices { get; init; } = UsualSlices;

    /// <summary>How much longer than others its slices are: for events that are rare.</summary>
    public int Stretch { get; init; } = 1;

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [.. rows.Select(static row => (row.Name, row.Target))];

    public IRowSource? Where(Func<string, bool> isWanted) => Of([.. rows.Where(row => isWanted(row.Name))]);

    public IRowSource? AgainstItself()
    {
        var peers = rows.Select(static row => row.Theirs).Distinct();
        var again = peers.ToDictionary(static side => side, static side => side.Again());
        return Of([.. rows.Select(row => new SliceRow($"{row.Name} noise", again[row.Theirs], row.Theirs, row.Figure))]);
    }

    public async Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        using var pool = PoolThreads is { } threads ? new PoolSize(threads) : null;
        var loads = new List<ILoad>();
        try
        {
            foreach (var side in _sides)
            {
                loads.Add(side.Open());
            }

            await WarmUp.RunAsync([.. loads.Select(static load => (Action)(() => load.Run(1)))], s_warmUp, cancellation);
            int[] operations = [.. loads.Select(load => OperationsOf(load, Stretch * lengths.Run / UsualSlices))];
            var rounds = Enumerable.Range(0, lengths.Rounds)
                .Select(_ => MeasureRound(loads, operations, cancellation)).ToArray();
            foreach (var row in rows)
            {
                report(row.Figure.Compare(row.Name, row.Theirs.Name, Rounds(row.Ours), Rounds(row.Theirs), row.Target));
            }

            Slice[] Rounds(SliceSide side) => [.. rounds.Select(round => round[_sides.IndexOf(side)])];
        }
        finally
        {
            foreach (var load in loads)
            {
                load.Dispose();
            }
        }
    }

    /// <summary>How many operations take about as long as a slice should.</summary>
    internal static int OperationsOf(ILoad load, TimeSpan length)
    {
        for (var operations = 1; ; operations *= 2)
        {
            // The fastest of several: one that was interrupted would make all later slices too short.
            var taken = Enumerable.Range(0, UsualSlices).Min(_ => load.Run(operations).Nanoseconds);
            if (taken >= s_telling.TotalNanoseconds || operations > int.MaxValue / 4)
            {
                return (int)Math.Clamp(operations * (length.TotalNanoseconds / taken), 1, int.MaxValue);
            }
        }
    }

    private Slice[] MeasureRound(List<ILoad> loads, int[] operations, CancellationToken cancellation)
    {
        var slices = loads.Select(static _ => new List<Slice>()).ToArray();
        for (var slice = 0; slice < Slices; slice++)
        {
            foreach (var side in Alternation.Order(loads.Count, slice))
            {
                cancellation.ThrowIfCancellationRequested();
                slices[side].Add(loads[side].Run(operations[side]));
            }
        }

        return [.. slices.Select(Slice.Sum)];
    }

    private SliceContest? Of(SliceRow[] left) =>
        left.Length == 0 ? null : new SliceContest(left) { PoolThreads = PoolThreads, Slices = Slices, Stretch = Stretch };
}
