using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Docs;

public sealed class ConfigurationGuideTests
{
    [Fact]
    public void Keys_OfTheGuide_AreThoseOfTheTable() =>
        GeneratedPart.Verify("UPDATE_SCHEMA", Generate(), "docs", "guide", "configuration.md");

    private static string Generate() => string.Concat(
        NumaSettings.All
            .Select(static s => $"| `{s.Path}` | {Code(s.Default)} | {s.Allowed} | {s.Description} |\n")
            .Prepend("| key | default | must be | |\n|---|---|---|---|\n"));

    private static string Code(string text) => text.Length == 0 ? "not set" : $"`{text}`";
}
