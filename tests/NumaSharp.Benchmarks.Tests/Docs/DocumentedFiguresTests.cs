using NumaSharp.Playground.Benchmarks;

namespace NumaSharp.Benchmarks.Tests.Docs;

/// <summary>
/// A measured figure in README, changelog, docs or the README of a package has a row of the benchmarks beside it, as a link whose
/// text is the row's name: <c>[`ping cpu`](benchmarks.md#rows-of-http)</c>. Or its paragraph links to a page of a decision, or of
/// the playground, that has the same figure. Values of settings stand in code, and are no measured figures. Decisions and results
/// are where figures come from.
/// </summary>
public sealed class DocumentedFiguresTests
{
    // It describes the rows.
    private const string RowPage = "benchmarks.md";

    private static readonly string[] s_front = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"];
    private static readonly string[] s_shipping = ["hosting", "plugins", "src", "templates"];

    public static TheoryData<string> Pages =>
    [
        .. s_front,
        .. from folder in s_shipping
           from project in Directory.EnumerateDirectories(Repository.PathOf(folder))
           let page = Path.Combine(project, "README.md")
           where File.Exists(page)
           select Path.GetRelativePath(Repository.Root, page),
        .. from page in PagesOf("docs")
           where Path.GetFileName(page) != RowPage && Path.GetFileName(Path.GetDirectoryName(page)) != "decisions"
           select page,
    ];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Figures_OfAPage_HaveTheirRowBesideThem(string page)
    {
        var folder = Path.GetDirectoryName(Repository.PathOf(page))!;
        string[] alone =
        [
            .. from claim in MeasuredClaims.Find(Repository.Read(page))
               where !claim.IsSupported(folder)
               select $"{page}:{claim.Line}: '{claim.Words}' in: {claim.Block}\n",
        ];
        Assert.True(
            alone.Length == 0,
            $"Name the row in a link ([`ping cpu`]({RowPage}#rows-of-http)), or link to the decision that has the figure. The "
            + $"value of a setting stands in code (`5ms`).\n{string.Concat(alone)}");
    }

    [Fact]
    public void Rows_ThatPagesName_Exist()
    {
        string[] missing =
        [
            .. from page in s_front.Concat(PagesOf("docs"))
               from row in ClaimSupport.RowsIn(Repository.Read(page))
               where !BenchmarkRows.Have(row.Kind, row.Name)
               select $"{page} names `{row.Name}`, which is no row of the benchmark '{row.Kind}'.\n",
        ];
        Assert.True(missing.Length == 0, string.Concat(missing));
    }

    [Fact]
    public void Kinds_AllOfThem_HaveAPlaceForTheLinks() => Assert.All(
        BenchmarkKinds.All,
        static kind => Assert.Contains(
            $"\n## Rows of `{kind}`\n", Repository.Read("docs", "guide", RowPage), StringComparison.Ordinal));

    private static IEnumerable<string> PagesOf(params string[] folder) =>
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.md", SearchOption.AllDirectories)
        where Path.GetDirectoryName(file) != Repository.Results
        select Path.GetRelativePath(Repository.Root, file);
}
