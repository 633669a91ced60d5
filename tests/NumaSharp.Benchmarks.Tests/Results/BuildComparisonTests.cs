using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class BuildComparisonTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly StringWriter _output = new() { NewLine = "\n" };
    private readonly List<string> _runs = [];
    private int _rests;

    public void Dispose()
    {
        _output.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task RunAsync_TwoKinds_BuildsTakeTurnsAndTheOtherBeginsEachRound()
    {
        Assert.Equal(ExitCodes.Completed, await RunAsync(rounds: 2, static (_, _) => [MadeUp.Row("row", 1)]));

        Assert.Equal(
            [
                "pool earlier", "pool this", "udp earlier", "udp this",
                "pool this", "pool earlier", "udp this", "udp earlier",
            ],
            _runs);
        Assert.Equal(8, _rests);
        Assert.Equal(8, Directory.GetFiles(_folder.Path).Length);
    }

    [Fact]
    public async Task RunAsync_RowsOfBothBuilds_AreComparedByTheMedianOfTheChanges()
    {
        double[] earlier = [0.50, 0.52, 0.50, 0.50];
        double[] now = [0.60, 0.60, 0.61, 0.60];
        await RunAsync(rounds: 4, (isEarlier, round) =>
        [
            MadeUp.Row("slower", (isEarlier ? earlier : now)[round]),
            MadeUp.Row("same", 2),
            MadeUp.Row("faster", isEarlier ? 2 : 1),
            MadeUp.Row(isEarlier ? "gone" : "new", 1),
        ]);

        var lines = _output.ToString().Split('\n');
        Assert.Contains("slower (peer)                         0.500    0.600   1.200    3 %   1.200   1.000 SLOWER", lines);
        Assert.Contains("same (peer)                           2.000    2.000   1.000    0 %   1.000   1.000", lines);
        Assert.Contains("faster (peer)                         2.000    1.000   0.500    0 %   0.500   1.000 FASTER", lines);
        Assert.Contains("only in earlier build: gone (peer)", lines);
        Assert.Contains("only in this build: new (peer)", lines);
        Assert.Contains("pool: 3 rows, slower: 1, faster: 1", lines);
    }

    // The ratio to the earlier build is the change.
    [Fact]
    public async Task RunAsync_KindWhoseServersMeetInOneRun_IsMeasuredOnceARound()
    {
        double[] changes = [1.10, 1.11, 1.10, 1.11];
        await RunAsync(
            rounds: 4,
            (_, round) => [MadeUp.Row("slower", changes[round]), MadeUp.Row("same", 1)],
            kinds: BenchmarkKinds.Http);

        Assert.Equal(Enumerable.Repeat("http both", 4), _runs);
        var lines = _output.ToString().Split('\n');
        Assert.Contains("== http, both builds, round 1 of 4", lines);
        Assert.Contains("slower (peer)                         1.000    1.105   1.105    0 %                 SLOWER", lines);
        Assert.Contains("same (peer)                           1.000    1.000   1.000    0 %", lines);
        Assert.DoesNotContain(lines, static line => line.StartsWith("only in", StringComparison.Ordinal));
    }

    [Fact]
    public async Task RunAsync_KindThatABuildCannotMeasure_IsNamedAndTheOthersAreCompared()
    {
        Assert.Equal(ExitCodes.Failed, await RunAsync(rounds: 2, static (_, _) => [MadeUp.Row("row", 1)], refused: "pool"));

        var lines = _output.ToString().Split('\n');
        Assert.Contains("pool: not compared: earlier build: no pool", lines);
        Assert.Contains("udp: 1 rows, slower: 0, faster: 0", lines);
        Assert.Equal(["pool earlier", "udp earlier", "udp this", "udp this", "udp earlier"], _runs);
    }

    [Theory]
    [InlineData(1.0, 1.0, 1.02, 1.04, false)]
    [InlineData(1.0, 1.0, 1.04, 1.04, true)]
    [InlineData(1.0, 1.2, 1.2, 1.2, false)]
    [InlineData(1.0, 2.0, 1.1, 2.2, true)]
    [InlineData(0, 0, 0, 0, false)]
    [InlineData(0, 0, 1, 1, true)]
    [InlineData(3, 0, 1, 1, false)]
    public void IsSlower_IfTheChangeIsMoreThanThreePercentBeyondTheFloor(
        double earlier1, double earlier2, double now1, double now2, bool expected)
    {
        var row = Assert.Single(ComparedRow.Of(Rows(earlier1, earlier2), Rows(now1, now2)));
        Assert.Equal(expected, row.IsSlower);
    }

    // What happens in one round of four does not decide.
    [Fact]
    public void IsSlower_OneRoundIsNotZero_IsNot() =>
        Assert.False(Assert.Single(ComparedRow.Of(Rows(0, 0, 0, 0), Rows(0, 0, 0, 1))).IsSlower);

    [Fact]
    public async Task RunAsync_ResultThatCannotBeRead_IsNamedAndTheOthersAreCompared()
    {
        Assert.Equal(ExitCodes.Failed, await RunAsync(rounds: 2, static (_, _) => [MadeUp.Row("row", 1)], broken: "pool"));

        var lines = _output.ToString().Split('\n');
        Assert.Contains(lines, static line => line.StartsWith("pool: not compared: ", StringComparison.Ordinal));
        Assert.Contains("udp: 1 rows, slower: 0, faster: 0", lines);
    }

    [Fact]
    public void Of_ARowThatARoundLacks_IsLeftOut() => Assert.Empty(ComparedRow.Of(
        new BuildRows([[MadeUp.Row("a", 1)], []]), Rows(1, 1)));

    [Fact]
    public void ReadRows_OfAnEarlierBuild_NeedsNoMachine()
    {
        var file = _folder.PathOf("old.json");
        File.WriteAllText(
            file,
            """{"machine":{},"rows":[{"name":"a","peer":"b","ours":1,"theirs":2,"unit":"ns","ratio":0.5}]}""");
        Assert.Equal(0.5, Assert.Single(BenchmarkJson.ReadRows(file)).Row.Ratio);
        Assert.Throws<BenchmarkException>(() => BenchmarkJson.Read(file));
    }

    private static BuildRows Rows(params double[] ratios) =>
        new([.. ratios.Select(static IReadOnlyList<MeasuredRow> (ratio) => [MadeUp.Row("a", ratio)])]);

    private Task<int> RunAsync(
        int rounds,
        Func<bool, int, MeasuredRow[]> rows,
        string? refused = null,
        string? broken = null,
        params string[] kinds) => new BuildComparison(
        kinds.Length > 0 ? kinds : [BenchmarkKinds.Pool, BenchmarkKinds.Udp],
        rounds,
        (build, kind, json, _) =>
        {
            _runs.Add($"{kind} {build}".ToLowerInvariant());
            if (kind == refused)
            {
                return Task.FromResult<string?>($"no {kind}");
            }

            if (kind == broken)
            {
                File.WriteAllText(json.FullName, "{");
                return Task.FromResult<string?>(null);
            }

            MadeUp.Write(json.FullName, rows(build == MeasuredBuild.Earlier, json.Name.Split('-')[1][0] - '1'));
            return Task.FromResult<string?>(null);
        },
        _ =>
        {
            _rests++;
            return Task.CompletedTask;
        },
        _output).RunAsync(_folder.Path, TestContext.Current.CancellationToken);
}
