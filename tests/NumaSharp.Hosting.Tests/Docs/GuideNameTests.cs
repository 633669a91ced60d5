using System.Text.RegularExpressions;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>What guides and the README name exists: keys, events, metrics, fallbacks, health checks, findings, API.</summary>
public sealed partial class GuideNameTests
{
    private static readonly HashSet<string> s_fallbacks =
        FallbackCatalog.All.Select(static kind => kind.Id).ToHashSet(StringComparer.Ordinal);

    private static readonly HashSet<string> s_components =
        s_fallbacks.Select(static id => id.Split('.')[0]).ToHashSet(StringComparer.Ordinal);

    // Sections of plugins, and what stands for any key.
    private static readonly string[] s_otherKeys = ["Acme", "Key", "Simulated"];

    private static readonly string s_api = string.Concat(
        Directory.EnumerateFiles(Repository.PathOf("tests"), "PublicApi.txt", SearchOption.AllDirectories)
            .Select(File.ReadAllText));

    private static readonly HashSet<string> s_types = NamesOf(PublicType(), s_api).ToHashSet(StringComparer.Ordinal);
    private static readonly HashSet<string> s_words = NamesOf(Word(), s_api).ToHashSet(StringComparer.Ordinal);

    public static TheoryData<string> Pages =>
    [
        "README.md",
        .. from file in Directory.EnumerateFiles(Repository.PathOf("docs", "guide"), "*.md")
           select Path.GetRelativePath(Repository.Root, file),
    ];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Names_OfAPage_Exist(string page)
    {
        var text = Repository.Read(page);
        Assert.All(
            NamesOf(Key(), text).Select(static key => key.Replace("__", ":", StringComparison.Ordinal).TrimEnd(':', '*')),
            static key => Assert.True(IsKey(key), $"{key} is no key of the schema."));
        Assert.Empty(NamesOf(Event(), text).SelectMany(static events => Number().Matches(events))
            .Select(static id => id.Value).Except(FirstColumn("docs", "reference", "events.md")));
        Assert.Empty(NamesOf(Metric(), text).Except(FirstColumn("docs", "reference", "metrics.md")));
        Assert.Empty(NamesOf(Check(), text).Except(FirstColumn("docs", "guide", "configuration.md")));
        Assert.Empty(NamesOf(Dotted(), text)
            .Where(static name => s_components.Contains(name.Split('.')[0])).Except(s_fallbacks));
    }

    // Beside the samples, which are compiled.
    [Theory]
    [MemberData(nameof(Pages))]
    public void Members_OfAPage_ArePublic(string page) => Assert.Empty(
        from code in InlineCode().Matches(Repository.Read(page))
        from member in Member().Matches(code.Value)
        where s_types.Contains(member.Groups[1].Value) && !s_words.Contains(member.Groups[2].Value)
        select member.Value);

    [Fact]
    public void Findings_OfTroubleshooting_AreThoseOfDoctor()
    {
        var names = NamesOf(Hyphenated(), Repository.Read("docs", "guide", "troubleshooting.md")).ToArray();
        Assert.NotEmpty(names);
        Assert.Empty(names.Except(FirstColumn("docs", "reference", "doctor.md")));
    }

    // Other tests compare those pages with the code.
    private static IEnumerable<string> FirstColumn(params string[] page) => NamesOf(Row(), Repository.Read(page));

    private static IEnumerable<string> NamesOf(Regex regex, string text) =>
        regex.Matches(text).Select(static match => match.Groups[1].Value);

    // A section counts, and the part of one node.
    private static bool IsKey(string key) =>
        NumaSettings.All.Any(setting => setting.IsRelatedTo(key)) || s_otherKeys.Contains(key.Split(':')[0]);

    [GeneratedRegex(@"\bNuma(?::|__)([A-Za-z0-9:_<>*]+)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Key();

    [GeneratedRegex(@"\b[Ee]vents? (\d+(?:(?:, | and | or | to )\d+)*)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Event();

    [GeneratedRegex(@"\d+", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Number();

    [GeneratedRegex(@"`(numasharp\.[a-z_.]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Metric();

    [GeneratedRegex("`(numa_[a-z]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Check();

    // A file's name is none.
    [GeneratedRegex(@"`([a-z]+\.(?!(?:json|md|svg|txt)`)[a-z]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Dotted();

    [GeneratedRegex("`([a-z]+(?:-[a-z]+)+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Hyphenated();

    [GeneratedRegex(@"^\| `?([\w.-]+)`? \|", RegexOptions.Multiline, Timeout.Infinite)]
    private static partial Regex Row();

    [GeneratedRegex(
        @"^(?:[a-z]+ )*(?:class|struct|interface|enum|delegate) (?:\w+\.)*(\w+)", RegexOptions.Multiline, 1000)]
    private static partial Regex PublicType();

    [GeneratedRegex(@"(\w+)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Word();

    [GeneratedRegex("`[^`\n]+`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex InlineCode();

    [GeneratedRegex(@"\b([A-Z]\w+)\.([A-Z]\w+)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Member();
}
