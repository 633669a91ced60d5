using System.Globalization;
using System.Text.RegularExpressions;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Docs;

/// <summary>The results in <c>docs/results</c>, and what the README says of them.</summary>
public sealed partial class CommittedResultsTests
{
    private const string Heading = "## Results\n";
    private const string Guide = "docs/guide/benchmarks.md";
    private const string Quick = "--quick";

    private static ResultSet Results => ResultSet.Read(Repository.Results);

    // On one line: where the README breaks its lines is its own business.
    private static string Section
    {
        get
        {
            var readme = Repository.Read("README.md");
            var start = readme.IndexOf(Heading, StringComparison.Ordinal) + Heading.Length;
            return Space().Replace(readme[start..readme.IndexOf("\n## ", start, StringComparison.Ordinal)], " ");
        }
    }

    [Fact]
    public void Folder_HasEveryKind() => Assert.Equal(BenchmarkKinds.All, Results.Measured.Select(static kind => kind.Kind));

    [Fact]
    public void Pages_AreThoseThatTheJsonGives()
    {
        string[] stale =
        [
            .. from page in ResultPages.Render(Results)
               let file = Path.Combine(Repository.Results, page.Name)
               where !File.Exists(file) || File.ReadAllText(file).ReplaceLineEndings("\n") != page.Text
               select page.Name,
        ];
        Assert.True(
            stale.Length == 0,
            $"{string.Join(", ", stale)}: dotnet run -c Release --project playground/Benchmarks -- render docs/results");
    }

    // The page of results has the same table, with links that begin elsewhere.
    [Fact]
    public void Readme_HasTheTableOfTheResults()
    {
        var table = ConnectionTable.Write(Http().Rows, Guide);
        Assert.NotEmpty(table);
        AssertSays(string.Join(' ', table));
    }

    [Fact]
    public void Readme_SaysHowManyRequirementsAreMissed()
    {
        var all = RequirementCount.Of(Results.Measured.SelectMany(static kind => kind.Result.Rows));
        var kinds =
            from kind in Results.Measured
            let count = RequirementCount.Of(kind.Result.Rows)
            where count.Rows > 0
            select $"`{kind.Kind}` {count}";
        const string Which = "([which](docs/results/results.md#missed-requirements))";
        AssertSays($"{all} required rows are missed {Which}: {string.Join(", ", kinds)}.");
    }

    [Fact]
    public void Readme_NamesTheMachineAndTheDayOfItsTable()
    {
        var machine = Http().Machine;
        var day = DateTimeOffset.Parse(machine.Date, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);
        AssertSays(day.ToString("d MMMM yyyy", CultureInfo.InvariantCulture));
        Assert.True(machine.IsVirtual != true || Section.Contains("virtual machine", StringComparison.Ordinal));
        Assert.Equal(
            machine.Command?.Split(' ').Contains(Quick, StringComparer.Ordinal) == true,
            Section.Contains($"`{Quick}`", StringComparison.Ordinal));
    }

    private static BenchmarkResult Http() =>
        Results.Measured.Single(static kind => kind.Kind == BenchmarkKinds.Http).Result;

    private static void AssertSays(string text) => Assert.True(
        Section.Contains(text, StringComparison.Ordinal), $"The README's part Results must say:\n{text}\nIt says:\n{Section}");

    [GeneratedRegex(@"\s+", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Space();
}
