using System.Text.RegularExpressions;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Docs;

/// <summary>Lines of numasharp and settings in the guides, tried on a captured machine of two nodes.</summary>
public sealed partial class GuideCommandTests : IDisposable
{
    private readonly MachineTree _tree = MachineTree.TwoNodes()
        .NetworkDevice("eth0", "1")
        .Write("appsettings.json", "{}")
        .Write("appsettings.Production.json", "{}")
        .Write("Shop.runtimeconfig.json", """{ "runtimeOptions": { "configProperties": { "System.GC.Server": true } } }""");

    private static string FirstNode { get; } =
        $"{NumaTopology.Instance.Nodes.First(static node => !node.Cpus.IsEmpty).NodeId}";

    public static TheoryData<string> PagesWithCommands =>
    [
        .. from file in Repository.MarkdownFiles
           let page = Path.GetRelativePath(Repository.Root, file).Replace(Path.DirectorySeparatorChar, '/')
           where page.StartsWith("docs/guide/", StringComparison.Ordinal) || page == "src/NumaSharp.Tool/README.md"
           where CommandsOf(page).Any()
           select page,
    ];

    public void Dispose() => _tree.Dispose();

    [Theory]
    [MemberData(nameof(PagesWithCommands))]
    public async Task Commands_OfAPage_AreAccepted(string page)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp run needs Linux.");
        foreach (var command in CommandsOf(page))
        {
            var run = await ToolRun.Of(ArgumentsOf([.. command.Split(' ').TakeWhile(static word => word != ">")]));
            Assert.True(run.ExitCode is ExitCodes.Success or ExitCodes.Findings, $"{command}: {run.Error}");
        }
    }

    // As environment variables in the guides; those of a line belong together.
    [Theory]
    [InlineData("migrating.md")]
    [InlineData("troubleshooting.md")]
    public async Task Settings_OfAGuide_AreAccepted(string guide)
    {
        string[][] lines =
        [
            .. Repository.Read("docs", "guide", guide).Split('\n')
                .Select(static line => Variable().Matches(line).Select(static match => match.Groups[1].Value).ToArray())
                .Where(static variables => variables.Length > 0),
        ];
        Assert.NotEmpty(lines);
        foreach (var line in lines)
        {
            var settings = line.Select(static variable => $"--Numa:{variable.Replace("__", ":", StringComparison.Ordinal)}");
            var run = await ToolRun.Of(["plan", .. settings, "--root", _tree.PathOf("")]);
            Assert.True(run.ExitCode == ExitCodes.Success, $"{string.Join(' ', line)}: {run.Error}");
        }
    }

    private static IEnumerable<string> CommandsOf(string page) =>
        Command().Matches(Repository.Read(page.Split('/'))).Select(static match => match.Groups[1].Value)
            .Distinct(StringComparer.Ordinal);

    // The programs that the guides start are not here, and nothing is to be started. It is this machine whose nodes they
    // name, and that may have no node 0.
    private string[] ArgumentsOf(string[] words) => words switch
    {
        ["run", ..] =>
        [
            .. words.TakeWhile(static word => word != "--").Select(static word => word == "0" ? FirstNode : word),
            "--dry-run",
            "--",
            "true",
        ],
        _ when words.Contains("--root") || words.Contains("--measure") => [.. words.Select(InTree)],
        _ => [.. words.Select(InTree), "--root", _tree.PathOf("")],
    };

    private string InTree(string word) =>
        word.EndsWith(".json", StringComparison.Ordinal) || word.EndsWith(".tar.gz", StringComparison.Ordinal)
            ? _tree.PathOf(Path.GetFileName(word))
            : word;

    // In a code span, or on a line of its own. Matrix and bench measure for a while: MatrixCommandTests and
    // BenchCommandTests run them. A line with another command behind it shows an exit code, and is for the tests of that command.
    [GeneratedRegex(
        "(?:`|^    |^\\$ |^)numasharp ((?:topology|plan|doctor|snapshot|tune|run --per-node)(?: [^`\n;]+)?)(?:`|$)",
        RegexOptions.Multiline,
        Timeout.Infinite)]
    private static partial Regex Command();

    [GeneratedRegex(@"\bNuma__(\w+=[\w,-]+)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Variable();
}
