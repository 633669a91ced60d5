using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class WholeRunTests : IDisposable
{
    private static readonly string[] s_kinds = [BenchmarkKinds.Memory, BenchmarkKinds.Pool, BenchmarkKinds.Udp];

    private readonly TemporaryFolder _parent = new();
    private readonly StringWriter _output = new() { NewLine = "\n" };
    private readonly List<string> _measured = [];

    // How many kinds had been measured at each.
    private readonly List<int> _rests = [];

    private string Target => _parent.PathOf("results");

    public void Dispose()
    {
        _output.Dispose();
        _parent.Dispose();
    }

    [Fact]
    public async Task RunAsync_AllKinds_AreMeasuredInOrderAndWritten()
    {
        Assert.Equal(ExitCodes.Completed, await RunAsync(static _ => null));

        Assert.Equal(s_kinds, _measured);
        Assert.Equal([1, 2], _rests);
        Assert.Equal(
            ["memory.json", "pool.json", "ratios-memory.svg", "ratios-pool.svg", "ratios-udp.svg", "results.md", "udp.json"],
            Names());
        Assert.Equal(
            $"""
            == memory, 1 of 3
            == pool, 2 of 3
            == udp, 3 of 3
            == {Target}
            memory: 2 rows, missed requirements: 1
            pool: 2 rows, missed requirements: 1
            udp: 2 rows, missed requirements: 1

            """,
            _output.ToString());
    }

    [Fact]
    public async Task RunAsync_KindThatCannotBeMeasured_IsNamedAndTheOthersAreWritten()
    {
        MadeUp.WriteFolder(Target);

        Assert.Equal(
            ExitCodes.Failed,
            await RunAsync(static kind => kind == BenchmarkKinds.Memory ? "libmimalloc.so.2 is missing" : null));

        Assert.Equal(s_kinds, _measured);
        Assert.DoesNotContain("memory.json", Names());
        Assert.Contains("udp.json", Names());
        Assert.EndsWith("\nmemory: not measured: libmimalloc.so.2 is missing\n", _output.ToString(), StringComparison.Ordinal);
        var read = ResultSet.Read(Target);
        Assert.Equal(["pool", "udp"], read.Measured.Select(static kind => kind.Kind));
        Assert.Contains(new KindReason("memory", "libmimalloc.so.2 is missing"), read.NotMeasured);
        Assert.Contains("libmimalloc.so.2 is missing", Page(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_NothingCanBeMeasured_LeavesTheOldResults()
    {
        MadeUp.WriteFolder(Target);

        var failure = await Assert.ThrowsAsync<BenchmarkException>(() => RunAsync(static kind => $"no {kind}"));

        Assert.Equal(
            $"nothing could be measured; {Target} is as it was\n"
            + "memory: not measured: no memory\npool: not measured: no pool\nudp: not measured: no udp",
            failure.Message);
        AssertAsItWas();
    }

    // In the middle of a kind, with the file of the one before it complete and its own empty.
    [Fact]
    public async Task RunAsync_CancelledKind_LeavesTheOldResultsAndNothingBesideThem()
    {
        MadeUp.WriteFolder(Target);
        using var source = new CancellationTokenSource();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => RunAsync(
            kind =>
            {
                if (kind == BenchmarkKinds.Pool)
                {
                    source.Cancel();
                    source.Token.ThrowIfCancellationRequested();
                }

                return null;
            },
            source.Token));

        Assert.Equal([BenchmarkKinds.Memory, BenchmarkKinds.Pool], _measured);
        AssertAsItWas();
    }

    // The last kind can be complete when the signal comes.
    [Fact]
    public async Task RunAsync_CancelledAfterTheLastKind_LeavesTheOldResults()
    {
        MadeUp.WriteFolder(Target);
        using var source = new CancellationTokenSource();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => RunAsync(
            kind =>
            {
                if (kind == s_kinds[^1])
                {
                    source.Cancel();
                }

                return null;
            },
            source.Token));

        AssertAsItWas();
    }

    [Fact]
    public async Task RunAsync_FolderWithSomethingElse_MeasuresNothing()
    {
        MadeUp.WriteFolder(Target);
        File.WriteAllText(Path.Combine(Target, "notes.md"), "mine");

        await Assert.ThrowsAsync<BenchmarkException>(() => RunAsync(static _ => null));

        Assert.Empty(_measured);
    }

    // As a benchmark does: the file is empty until it has a result.
    private Task<int> RunAsync(Func<string, string?> reasonOf, CancellationToken cancellation = default)
    {
        return new WholeRun(s_kinds, Measure, Rest, _output).RunAsync(Target, cancellation);

        Task<string?> Measure(string kind, FileInfo json, CancellationToken token)
        {
            _measured.Add(kind);
            Assert.Equal(cancellation, token);
            json.Create().Dispose();
            var reason = reasonOf(kind);
            if (reason is null)
            {
                MadeUp.Write(json.FullName, MadeUp.Row("met", 0.5, required: 1), MadeUp.Row("late", 2, required: 1));
            }

            return Task.FromResult(reason);
        }

        Task Rest(CancellationToken token)
        {
            Assert.Equal(cancellation, token);
            _rests.Add(_measured.Count);
            return Task.CompletedTask;
        }
    }

    private void AssertAsItWas()
    {
        Assert.Equal([Target], Directory.EnumerateFileSystemEntries(_parent.Path));
        Assert.Equal(["pool.json", "results.md"], Names());
        Assert.Equal("old", Page());
    }

    private string Page() => File.ReadAllText(Path.Combine(Target, ResultPages.Page));

    private string[] Names() =>
    [
        .. from file in Directory.EnumerateFileSystemEntries(Target).Order(StringComparer.Ordinal)
           select Path.GetFileName(file),
    ];
}
