using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class ResultFolderTests : IDisposable
{
    private readonly TemporaryFolder _parent = new();

    private string Target => _parent.PathOf("results");

    public void Dispose() => _parent.Dispose();

    [Fact]
    public void Replace_OldResults_AreGoneWithAllTheirFiles()
    {
        MadeUp.WriteFolder(Target);
        using (var folder = ResultFolder.Begin(Target))
        {
            File.WriteAllText(Path.Combine(folder.Draft, ResultPages.Page), "new");
            folder.Replace();
        }

        Assert.Equal([Target], Directory.EnumerateFileSystemEntries(_parent.Path));
        Assert.Equal(Path.Combine(Target, ResultPages.Page), Assert.Single(Directory.EnumerateFileSystemEntries(Target)));
        Assert.Equal("new", File.ReadAllText(Path.Combine(Target, ResultPages.Page)));
    }

    [Fact]
    public void Replace_FolderThatIsNotThere_MakesItAndWhatIsAboveIt()
    {
        var target = _parent.PathOf("docs/results");
        using (var folder = ResultFolder.Begin(target))
        {
            folder.Replace();
        }

        Assert.Equal([target], Directory.EnumerateFileSystemEntries(_parent.PathOf("docs")));
    }

    [Fact]
    public void Dispose_WithoutReplace_LeavesTheOldResultsAlone()
    {
        MadeUp.WriteFolder(Target);
        var before = Contents();

        using (var folder = ResultFolder.Begin(Target))
        {
            File.WriteAllText(Path.Combine(folder.Draft, ResultPages.Page), "new");
        }

        Assert.Equal(before, Contents());
    }

    [Fact]
    public void Dispose_KeptDraft_LeavesIt()
    {
        string draft;
        using (var folder = ResultFolder.Begin(Target))
        {
            draft = folder.Draft;
            folder.Keep();
        }

        Assert.True(Directory.Exists(draft));
    }

    // Something took the folder's place in the meantime; what was measured must not be lost.
    [Fact]
    public void Replace_PlaceThatIsTaken_KeepsTheDraftAndSaysWhere()
    {
        using var folder = ResultFolder.Begin(Target);
        File.WriteAllText(Target, "a file");

        var failure = Assert.Throws<BenchmarkException>(folder.Replace);
        folder.Dispose();

        Assert.EndsWith($"; the new results are in {folder.Draft}", failure.Message, StringComparison.Ordinal);
        Assert.True(Directory.Exists(folder.Draft));
        Assert.Equal("a file", File.ReadAllText(Target));
    }

    [Theory]
    [InlineData("notes.md")]
    [InlineData("HTTP.json")]
    [InlineData("more/pool.json")]
    public void Begin_FolderWithSomethingElse_IsRefused(string name)
    {
        MadeUp.WriteFolder(Target);
        var file = Path.Combine(Target, name);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, "mine");
        var before = Contents();

        var failure = Assert.Throws<BenchmarkException>(() => ResultFolder.Begin(Target));

        Assert.Equal(
            $"{Target} has '{name.Split('/')[0]}', which is no result: name a folder of its own", failure.Message);
        Assert.Equal(before, Contents());
    }

    [Fact]
    public void Begin_File_IsRefused()
    {
        File.WriteAllText(Target, "mine");

        Assert.StartsWith(
            Target, Assert.Throws<BenchmarkException>(() => ResultFolder.Begin(Target)).Message, StringComparison.Ordinal);
        Assert.Equal("mine", File.ReadAllText(Target));
    }

    [Fact]
    public void Begin_FolderBelowAFile_IsRefusedInOneLine()
    {
        File.WriteAllText(Target, "mine");
        var below = Path.Combine(Target, "results");

        Assert.StartsWith(
            $"{below}: ", Assert.Throws<BenchmarkException>(() => ResultFolder.Begin(below)).Message, StringComparison.Ordinal);
    }

    private (string Name, string Text)[] Contents() =>
    [
        .. from file in Directory.EnumerateFiles(_parent.Path, "*", SearchOption.AllDirectories).Order()
           select (file, File.ReadAllText(file)),
    ];
}
