using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>Prometheus' own tool on the alert rules, where it is installed.</summary>
public sealed class AlertRulesTests
{
    [Fact]
    public async Task Rules_FigureByFigure_FireWhenTheyShould()
    {
        ExternalProgram.SkipUnlessThere("promtool");
        Assert.Contains(
            "SUCCESS",
            await ExternalProgram.RunAsync(
                "promtool", "test", "rules", Repository.PathOf("docs", "dashboards", "numasharp-alerts.test.yml")),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Rule_OfRefusedBinding_SaysWhatTheCatalogueSays() => Assert.Contains(
        $"description: \"{FallbackCatalog.MemoryBind.Effect} {FallbackCatalog.MemoryBind.Remedy}\"\n",
        Repository.Read("docs", "dashboards", "numasharp-alerts.yml"),
        StringComparison.Ordinal);

    [Fact]
    public void Rules_AllOfThem_HaveACase()
    {
        Assert.Equal(
            NamesAfter("- alert: ", "numasharp-alerts.yml").Order(StringComparer.Ordinal),
            NamesAfter("- alertname: ", "numasharp-alerts.test.yml").Distinct().Order(StringComparer.Ordinal));

        static IEnumerable<string> NamesAfter(string key, string file) =>
            Repository.Read("docs", "dashboards", file).Split('\n')
                .Where(line => line.Contains(key, StringComparison.Ordinal))
                .Select(line => line[(line.IndexOf(key, StringComparison.Ordinal) + key.Length)..].Trim());
    }
}
