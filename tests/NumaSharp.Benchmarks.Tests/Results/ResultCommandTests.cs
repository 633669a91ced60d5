using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class ResultCommandTests : IDisposable
{
    private readonly TemporaryFolder _parent = new();

    private string Target => _parent.PathOf("results");

    public void Dispose() => _parent.Dispose();

    [Fact]
    public async Task Render_FolderWithJson_WritesPageAndPicturesAndKeepsTheJson()
    {
        MadeUp.WriteFolder(Target);
        ResultSet.WriteReasons(Target, [new KindReason("http", "wrk is missing")]);
        File.WriteAllText(Path.Combine(Target, "ratios-udp.svg"), "of a kind that is gone");
        var json = await File.ReadAllTextAsync(Path.Combine(Target, "pool.json"), TestContext.Current.CancellationToken);

        var (code, output, error) = await RunAsync("render", Target);

        Assert.Equal((ExitCodes.Completed, $"{Path.Combine(Target, "results.md")}\n", ""), (code, output, error));
        Assert.Equal(
            ["not-measured.json", "pool.json", "ratios-pool.svg", "results.md"],
            Directory.EnumerateFiles(Target).Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal));
        Assert.Equal(json, await File.ReadAllTextAsync(Path.Combine(Target, "pool.json"), TestContext.Current.CancellationToken));
        Assert.Contains("wrk is missing", File.ReadAllText(Path.Combine(Target, "results.md")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Render_FolderWithoutJson_IsRefused()
    {
        var (code, output, error) = await RunAsync("render", _parent.Path);

        Assert.Equal((ExitCodes.Failed, ""), (code, output));
        Assert.StartsWith($"{_parent.Path} has no result; ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Render_BrokenJson_LeavesTheFolderAsItWas()
    {
        MadeUp.WriteFolder(Target);
        File.WriteAllText(Path.Combine(Target, "http.json"), "{");

        var (code, _, error) = await RunAsync("render", Target);

        Assert.Equal(ExitCodes.Failed, code);
        Assert.StartsWith($"{Path.Combine(Target, "http.json")} is no result", error, StringComparison.Ordinal);
        Assert.Equal("old", File.ReadAllText(Path.Combine(Target, "results.md")));
        Assert.Equal([Target], Directory.EnumerateFileSystemEntries(_parent.Path));
    }

    [Fact]
    public async Task All_OptionOfAKind_IsAUsageError() =>
        Assert.Equal(ExitCodes.Usage, (await RunAsync("all", "--filter", "ping", "--results", Target)).Code);

    [Fact]
    public void DefaultFolder_InTheRepository_IsItsDocs() => Assert.Equal(
        Repository.PathOf("docs", "results"), AllCommand.DefaultFolder(Repository.PathOf("playground", "Benchmarks")));

    [Fact]
    public void DefaultFolder_Elsewhere_IsBelowTheCurrentOne() =>
        Assert.Equal(Path.Combine(_parent.Path, "docs", "results"), AllCommand.DefaultFolder(_parent.Path));

    private static async Task<(int Code, string Output, string Error)> RunAsync(params string[] args)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        return (await BenchmarkCommand.RunAsync(args, output, error), output.ToString(), error.ToString());
    }
}
