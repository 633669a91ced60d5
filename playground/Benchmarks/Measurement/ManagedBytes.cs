namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Bytes that the garbage collector hands out per operation in the steady state: none. A consumer that was late once makes a
/// pool grow once, so the run with the fewest counts: what an operation costs is in all of them.
/// </summary>
internal static class ManagedBytes
{
    private const string Name = "managed bytes";
    private const int Runs = 5;

    // A multiple of every step.
    private const int Operations = 64_000;

    /// <summary>The row: the worst of several loops.</summary>
    /// <param name="teams">Where they run.</param>
    /// <param name="work">Threads, and what each does.</param>
    public static Look<double> Create(WorkerTeams teams, IReadOnlyList<(int Threads, Action<int, int> Loop)> work)
    {
        return new(
            [LookRow<double>.Limit(Name, static bytes => bytes, 0, "bytes/op")],
            (_, _) => Task.FromResult(work.Max(PerOperation)));

        double PerOperation((int Threads, Action<int, int> Loop) loop) => Enumerable.Range(0, Runs).Min(_ =>
            (double)teams.Of(loop.Threads).Run(thread => loop.Loop(thread, Operations)).ManagedBytes / Operations);
    }
}
