using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Bytes that the garbage collector hands out per operation in the steady state: none. A consumer that was late once makes a
/// pool grow once, so the run with the fewest counts: what an operation costs is in all of them.
/// </summary>
/// <param name="name">Of the row.</param>
/// <param name="teams">Where the work runs.</param>
/// <param name="work">Threads, and what each does; the worst of them is the row.</param>
internal sealed class ManagedBytes(
    string name, WorkerTeams teams, IReadOnlyList<(int Threads, Action<int, int> Loop)> work) : IRowSource
{
    private const int Runs = 5;

    // A multiple of every step.
    private const int Operations = 64_000;

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [(name, new RowTarget(0, null))];

    public IRowSource? Where(Func<string, bool> isWanted) => isWanted(name) ? this : null;

    public Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        var worst = work.Max(PerOperation);
        report(new MeasuredRow(BenchmarkRow.Limit(name, worst, 0, "bytes/op"), null));
        return Task.CompletedTask;
    }

    private double PerOperation((int Threads, Action<int, int> Loop) loop)
    {
        var team = teams.Of(loop.Threads);
        var fewest = Enumerable.Range(0, Runs).Min(_ => team.Run(thread => loop.Loop(thread, Operations)).ManagedBytes);
        return (double)fewest / Operations;
    }
}
