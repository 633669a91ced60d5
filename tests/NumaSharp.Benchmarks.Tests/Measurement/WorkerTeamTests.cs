using System.Collections.Concurrent;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class WorkerTeamTests
{
    private const int Bytes = 10_000;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Run_Work_RunsOnceOnEachOfTheSameThreads(int threads)
    {
        using var team = new WorkerTeam(new int?[threads]);
        var first = new ConcurrentDictionary<int, int>();
        var second = new ConcurrentDictionary<int, int>();

        team.Run(thread => first.TryAdd(thread, Environment.CurrentManagedThreadId));
        var report = team.Run(thread => second.TryAdd(thread, Environment.CurrentManagedThreadId));

        Assert.Equal(Enumerable.Range(0, threads), first.Keys.Order());
        Assert.Equal(first, second);
        Assert.True(report.Nanoseconds >= 0);
    }

    [Fact]
    public void Run_WorkThatThrows_ThrowsHereAndTheTeamContinues()
    {
        using var team = new WorkerTeam(new int?[2]);
        var ran = 0;

        Assert.Throws<NotSupportedException>(() => team.Run(thread =>
        {
            if (thread == 1)
            {
                throw new NotSupportedException();
            }
        }));
        team.Run(_ => Interlocked.Increment(ref ran));

        Assert.Equal(2, ran);
    }

    [Fact]
    public void Run_WorkThatAllocates_CountsItsManagedBytes()
    {
        using var team = new WorkerTeam(new int?[2]);

        // What runs first may be compiled or initialized on the way, which allocates.
        var none = Enumerable.Range(0, 5).Min(_ => team.Run(static _ => { }).ManagedBytes);
        var some = team.Run(_ => GC.KeepAlive(new byte[Bytes]));

        Assert.Equal(0, none);
        Assert.True(some.ManagedBytes >= 2 * Bytes);
    }

    [Fact]
    public void Of_SameNumber_IsTheSameTeam()
    {
        using var teams = new WorkerTeams(new BenchmarkCpus(null, null, null));

        Assert.Same(teams.Of(2), teams.Of(2));
        Assert.Equal(2, teams.Of(2).Count);
    }

    [Fact]
    public async Task ManagedBytes_WorkThatAllocates_AreMissed()
    {
        using var teams = new WorkerTeams(new BenchmarkCpus(null, null, null));

        Assert.Equal(0, await Measure(_ => { }));
        Assert.True(await Measure(count => GC.KeepAlive(new byte[count])) >= 1);

        async Task<double> Measure(Action<int> work)
        {
            var ours = double.NaN;
            await ManagedBytes.Create(teams, [(1, (_, count) => work(count))])
                .MeasureAsync(ContestLengths.Quick, measured => ours = measured.Row.Ours, TestContext.Current.CancellationToken);
            return ours;
        }
    }
}
