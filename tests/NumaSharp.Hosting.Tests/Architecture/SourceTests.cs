using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>What the compiler and the formatter let pass.</summary>
public sealed class SourceTests
{
    // As .editorconfig has it, which the formatter does not enforce.
    private const int MostColumns = 130;
    private const int MostLines = 700;

    private static readonly string[] s_folders = ["src", "hosting", "plugins", "analyzers", "templates", "playground", "tests"];
    private static readonly string[] s_leftOut = ["bin", "obj"];

    private static IEnumerable<string> Files =>
        from folder in s_folders
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.cs", SearchOption.AllDirectories)
        let path = Path.GetRelativePath(Repository.Root, file)
        where !path.Split(Path.DirectorySeparatorChar).Intersect(s_leftOut).Any()
        select path;

    [Fact]
    public void Lines_AreNotTooLong() => Assert.Empty(
        from file in Files
        from line in File.ReadLines(Repository.PathOf(file)).Index()
        where line.Item.Length > MostColumns
        select $"{file}:{line.Index + 1} has {line.Item.Length} columns");

    [Fact]
    public void Files_AreNotTooLong() => Assert.Empty(
        from file in Files
        let lines = File.ReadLines(Repository.PathOf(file)).Count()
        where lines > MostLines
        select $"{file} has {lines} lines");
}
