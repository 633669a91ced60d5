using NumaSharp.Hosting.Configuration;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Docs;

public sealed class ConfigurationGuideTests
{
    private const string Begin = "UPDATE_SCHEMA=1. -->\n";
    private const string End = "<!-- /Generated -->";

    private static readonly string s_file = Repository.PathOf("docs", "guide", "configuration.md");

    [Fact]
    public void Keys_OfTheGuide_AreThoseOfTheTable()
    {
        var text = File.ReadAllText(s_file).ReplaceLineEndings("\n");
        var start = text.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        var end = text.IndexOf(End, StringComparison.Ordinal);
        var generated = Generate();
        if (Environment.GetEnvironmentVariable("UPDATE_SCHEMA") == "1")
        {
            File.WriteAllText(s_file, text[..start] + generated + text[end..]);
            return;
        }

        Assert.True(
            text[start..end] == generated,
            "The table of docs/guide/configuration.md is not what the settings say. Run the tests with UPDATE_SCHEMA=1 and "
            + "commit the file.");
    }

    private static string Generate() => string.Concat(
        NumaSettings.All
            .Select(static s => $"| `{s.Path}` | {Code(s.Default)} | {s.Allowed} | {s.Description} |\n")
            .Prepend("| key | default | must be | |\n|---|---|---|---|\n"));

    private static string Code(string text) => text.Length == 0 ? "not set" : $"`{text}`";
}
