using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>
/// Rows about memory: a fresh server for each side, because one that was under load holds what that load needed. Where a figure
/// is taken at several moments, the row is the one that is worst for us.
/// </summary>
internal sealed class HttpMemory
{
    private static readonly IMemoryLook[] s_looks = [new IdleMemory(), new AttackMemory()];

    private readonly ServerSide _side;
    private readonly IMemoryLook _look;

    // Of its rows, those that are wanted.
    private readonly int[] _rows;

    private HttpMemory(ServerSide side, IMemoryLook look, Func<string, bool> isWanted)
    {
        (_side, _look) = (side, look);
        _rows = [.. Enumerable.Range(0, look.Rows.Count).Where(row => isWanted(NameOf(row)))];
    }

    public IEnumerable<string> RowNames => _rows.Select(NameOf);

    public TimeSpan Budget => 2 * _look.Budget;

    public ILoadGenerator? Load => _look.Load;

    /// <summary>Why this machine cannot have the rows; null when it can.</summary>
    public string? LeftOut => DescriptorLimit.LeftOut(RowNames, _look.Connections);

    /// <summary>The rows that a filter leaves; none where no side is ours.</summary>
    public static IReadOnlyList<HttpMemory> Of(ServerSide? side, Func<string, bool> isWanted) => side is null
        ? []
        : [.. s_looks.Select(look => new HttpMemory(side, look, isWanted)).Where(static memory => memory._rows.Length > 0)];

    /// <summary>The moment at which ours is the largest multiple of theirs.</summary>
    public static int WorstMoment(IReadOnlyList<double> ours, IReadOnlyList<double> theirs) =>
        Enumerable.Range(0, ours.Count).MaxBy(i => ours[i] / theirs[i]);

    public async Task MeasureAsync(
        BenchmarkCpus cpus, DirectoryInfo scratch, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        var (theirs, peer) = await _look.MeasureAsync(ServerSide.Stock, cpus, scratch, cancellation);
        var (ours, _) = await _look.MeasureAsync(_side, cpus, scratch, cancellation);
        foreach (var i in _rows)
        {
            var (mine, stock, row) = (ours[i], theirs[i], _look.Rows[i]);
            var worst = WorstMoment(mine, stock);
            report(new MeasuredRow(
                BenchmarkRow.Cost(NameOf(i), peer, mine[worst], stock[worst], row.Unit, row.Target), null));
        }
    }

    private string NameOf(int row) => _look.Rows[row].Name + _side.RowSuffix;
}
