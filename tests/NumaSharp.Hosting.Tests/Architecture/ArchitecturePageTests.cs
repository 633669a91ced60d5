using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>docs/architecture.md names what there is.</summary>
public sealed partial class ArchitecturePageTests
{
    private static readonly string[] s_shipping = ["src", "hosting", "plugins", "analyzers"];
    private static readonly string[] s_leftOut = ["bin", "obj"];

    private static readonly string s_page = Repository.Read("docs", "architecture.md");
    private static readonly Source[] s_sources = [.. s_shipping.SelectMany(SourcesIn)];
    private static readonly TypePart[] s_parts = [.. s_sources.SelectMany(PartsOf)];

    // Folders with sources of their own: one that only has others needs no row.
    private static IEnumerable<string> Folders =>
        s_sources.Select(static source => source.Name[..source.Name.LastIndexOf('/')]);

    // Each with its type, in any column.
    private static HashSet<string> NamedLocks => Member().Matches(RowsOf("Locks"))
        .Select(static match => $"{match.Groups[1].Value}.{match.Groups[2].Value}")
        .ToHashSet(StringComparer.Ordinal);

    [Fact]
    public void Folders_AreThoseOfTheRepository() => Assert.Equal(
        Folders.Distinct().Order(StringComparer.Ordinal),
        Folder().Matches(s_page).Select(static match => match.Groups[1].Value).Order(StringComparer.Ordinal));

    [Fact]
    public void LinkedFiles_AreThere()
    {
        var links = Link().Matches(s_page).Select(static match => match.Groups[1].Value).ToArray();
        Assert.NotEmpty(links);
        Assert.All(links, static link => Assert.True(File.Exists(Repository.PathOf(link)), link));
    }

    [Fact]
    public void Locks_OfTheTable_AreDeclaredByTheirTypes()
    {
        Assert.NotEmpty(NamedLocks);
        Assert.Empty(NamedLocks.Except(MembersOf(s_parts, DeclaredMember())).Order(StringComparer.Ordinal));
    }

    // Without those of plugins and the command, of which the page says where they are in the order.
    [Fact]
    public void Locks_OfTheLibraryAndTheHost_AreInTheTable()
    {
        var parts = s_parts.Where(static part => IsOfTheLibraryOrTheHost(part.File));
        Assert.Empty(MembersOf(parts, DeclaredLock()).Except(NamedLocks).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Threads_HaveTheirNamesInTheSources()
    {
        var names = ThreadName().Matches(SectionOf("Folders") + SectionOf("Threads"))
            .Select(static match => match.Groups[1].Value)
            .Distinct()
            .ToArray();
        Assert.NotEmpty(names);
        Assert.All(names, static name => Assert.Contains(
            s_sources, source => Regex.IsMatch(source.Text, LiteralOf(name), RegexOptions.None, Timeout.InfiniteTimeSpan)));
    }

    [Fact]
    public void WhereToAdd_NamesTypesThatThereAre()
    {
        var parts = s_parts.Concat(SourcesIn("tests").SelectMany(PartsOf))
            .ToLookup(static part => part.Type, static part => part.Text, StringComparer.Ordinal);
        var names = TypeName().Matches(RowsOf("Where to add"))
            .Select(static match => (Type: match.Groups[1].Value, Member: match.Groups[2].Value))
            .ToArray();
        Assert.NotEmpty(names);
        Assert.All(names, name => Assert.Contains(
            parts[name.Type], text => Regex.IsMatch(text, $@"\b{name.Member}\b", RegexOptions.None, Timeout.InfiniteTimeSpan)));
    }

    private static IEnumerable<Source> SourcesIn(string folder) =>
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.cs", SearchOption.AllDirectories)
        let name = Path.GetRelativePath(Repository.Root, file).Replace(Path.DirectorySeparatorChar, '/')
        where !name.Split('/').Intersect(s_leftOut).Any()
        select new Source(name, File.ReadAllText(file).ReplaceLineEndings("\n"));

    // From the declaration of a type in the namespace to that of the next one.
    private static IEnumerable<TypePart> PartsOf(Source source)
    {
        var starts = DeclaredType().Matches(source.Text).ToArray();
        return starts.Select((start, i) => new TypePart(
            source.Name,
            start.Groups[1].Value,
            source.Text[start.Index..(i + 1 < starts.Length ? starts[i + 1].Index : source.Text.Length)]));
    }

    private static IEnumerable<string> MembersOf(IEnumerable<TypePart> parts, Regex member) =>
        from part in parts
        from match in member.Matches(part.Text)
        select $"{part.Type}.{match.Groups[1].Value}";

    private static bool IsOfTheLibraryOrTheHost(string file) =>
        (file.StartsWith("src/", StringComparison.Ordinal) && !file.StartsWith("src/NumaSharp.Tool/", StringComparison.Ordinal))
        || file.StartsWith("hosting/NumaSharp.Hosting/", StringComparison.Ordinal);

    private static string SectionOf(string title)
    {
        var start = s_page.IndexOf($"\n## {title}\n", StringComparison.Ordinal);
        Assert.True(start >= 0, title);
        var end = s_page.IndexOf("\n## ", start + 1, StringComparison.Ordinal);
        return end < 0 ? s_page[start..] : s_page[start..end];
    }

    private static string RowsOf(string title) =>
        string.Join('\n', SectionOf(title).Split('\n').Where(static line => line.StartsWith('|')));

    // As the sources have it: with holes where the page has a capital, and perhaps for the scheduler's prefix.
    private static string LiteralOf(string thread)
    {
        const string Prefix = "numa";
        const string Hole = "\\{[^}\"]+\\}";
        var rest = thread[Prefix.Length..].Select(static one => char.IsAsciiLetterUpper(one) ? Hole : Regex.Escape($"{one}"));
        return $"\"(?:{Prefix}|{Hole}){string.Concat(rest)}\"";
    }

    // In the table of folders, each once.
    [GeneratedRegex("`((?:src|hosting|plugins|analyzers)/[^`]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Folder();

    [GeneratedRegex(@"\]\(\.\./((?:src|hosting|plugins|analyzers)/[^)#]+)\)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Link();

    [GeneratedRegex(@"`([A-Z]\w*)\.(\w+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Member();

    // A type, perhaps with a member. Projects are not meant.
    [GeneratedRegex(@"`(?!NumaSharp\b)([A-Z]\w*)(?:\.([A-Z]\w*))?`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex TypeName();

    [GeneratedRegex(@"`(numa(?:sharp)?N?-[\w.-]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex ThreadName();

    [GeneratedRegex(
        @"^(?:public|internal|file)\b.*?\b(?:class|struct|interface|enum|record(?! struct\b| class\b)) (\w+)",
        RegexOptions.Multiline,
        Timeout.Infinite)]
    private static partial Regex DeclaredType();

    // A field or property of a type in the namespace, not of a type within that.
    [GeneratedRegex(@"^    \w[^=;({\n]* (\w+)(?: = |;| \{)", RegexOptions.Multiline, Timeout.Infinite)]
    private static partial Regex DeclaredMember();

    [GeneratedRegex(@"^    \w[\w ]* Lock (\w+)(?: \{ get; \})? = new\(\);", RegexOptions.Multiline, Timeout.Infinite)]
    private static partial Regex DeclaredLock();

    private sealed record Source(string Name, string Text);

    // A partial type has several.
    private sealed record TypePart(string File, string Type, string Text);
}
