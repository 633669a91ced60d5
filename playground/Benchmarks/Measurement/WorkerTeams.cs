namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>The teams of a run, created on first use and kept.</summary>
internal sealed class WorkerTeams(BenchmarkCpus cpus) : IDisposable
{
    private readonly Dictionary<int, WorkerTeam> _teams = [];

    /// <summary>One thread has the server's CPU, two have one each.</summary>
    public WorkerTeam Of(int threads)
    {
        if (!_teams.TryGetValue(threads, out var team))
        {
            int?[] pinned = [cpus.Server, cpus.Load];
            _teams[threads] = team = new WorkerTeam(pinned[..threads]);
        }

        return team;
    }

    /// <summary>A side whose work is this loop on every thread at once; an operation is one on each.</summary>
    /// <param name="threads">How many threads.</param>
    /// <param name="loop">Is given the thread's index and the number of operations.</param>
    /// <param name="name">Of the side.</param>
    /// <param name="step">Operations come in multiples of it.</param>
    /// <param name="library">What the side needs.</param>
    /// <param name="verify">Proves that the side works.</param>
    public Contestant Contestant(
        int threads,
        Action<int, int> loop,
        Func<string> name,
        int step = 1,
        PeerLibrary? library = null,
        Action? verify = null) =>
        new(name, () => Load(threads, loop))
        {
            Step = step,
            Library = library,
            Verify = verify,
        };

    /// <summary>That loop as a load.</summary>
    public ILoad Load(int threads, Action<int, int> loop, IDisposable? owned = null) =>
        new TimedLoad(operations => Of(threads).Run(thread => loop(thread, operations)).Nanoseconds, owned);

    public void Dispose()
    {
        foreach (var team in _teams.Values)
        {
            team.Dispose();
        }
    }
}
