using System.Text.Json;
using System.Text.RegularExpressions;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>The dashboard and the alert rules ask for what there is, by the names of Prometheus' default translation.</summary>
public sealed partial class DashboardTests
{
    private static readonly string[] s_targetLabels = ["job", "instance"];

    private static readonly Dictionary<string, string[]> s_labelsByName = MetricsReference.All
        .SelectMany(static metric => NamesOf(metric.Name, metric.Kind, metric.Unit).Select(name =>
            KeyValuePair.Create(name, LabelsOf(metric.Attributes).Concat(metric.Kind == "Histogram" ? ["le"] : []).ToArray())))
        .ToDictionary();

    public static TheoryData<string> Expressions => [.. DashboardExpressions().Concat(AlertExpressions())];

    [Theory]
    [MemberData(nameof(Expressions))]
    public void Expression_NamesAndLabels_AreThoseOfTheReference(string expression)
    {
        var names = Name().Matches(Grouping().Replace(expression, "")).Select(static match => match.Value).ToArray();
        Assert.NotEmpty(names);
        Assert.All(names, static name => Assert.Contains(name, s_labelsByName.Keys));
        var known = names.SelectMany(static name => s_labelsByName[name]).Concat(s_targetLabels)
            .ToHashSet(StringComparer.Ordinal);
        var labels = Matcher().Matches(expression).Select(static match => match.Groups["label"].Value)
            .Concat(Grouping().Matches(expression).SelectMany(static match =>
                match.Groups["labels"].Value.Split(',', StringSplitOptions.TrimEntries)));
        Assert.All(labels, label => Assert.Contains(label, known));
        Assert.Equal(expression.Count(static c => c == '('), expression.Count(static c => c == ')'));
    }

    [Fact]
    public void Dashboard_ShowsEveryMetric()
    {
        var all = string.Join('\n', DashboardExpressions());
        string[] leftOut =
        [
            // Hit, miss, foreign and interleaving are for a look at one node, with numastat.
            "numasharp.node.allocations.hit", "numasharp.node.allocations.miss", "numasharp.node.allocations.foreign",
            "numasharp.node.allocations.interleave_hit",

            // Shown as active fallbacks, as datagrams, and as drops.
            "numasharp.policy.fallbacks", "numasharp.udp.io", "numasharp.udp.sockets", "numasharp.udp.restarts",
        ];
        var missing = MetricsReference.All
            .Where(metric =>
                !NamesOf(metric.Name, metric.Kind, metric.Unit).Any(name => all.Contains(name, StringComparison.Ordinal)))
            .Select(static metric => metric.Name);
        Assert.Equal(leftOut.Order(StringComparer.Ordinal), missing.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Panels_OfTheDashboard_HaveIdsOfTheirOwnAndDoNotOverlap()
    {
        using var dashboard = Dashboard();
        var panels = dashboard.RootElement.GetProperty("panels").EnumerateArray().ToArray();
        var ids = panels.Select(static panel => panel.GetProperty("id").GetInt32()).ToArray();
        Assert.Equal(ids.Distinct(), ids);
        var cells = (
            from panel in panels
            let place = panel.GetProperty("gridPos")
            from x in Enumerable.Range(place.GetProperty("x").GetInt32(), place.GetProperty("w").GetInt32())
            from y in Enumerable.Range(place.GetProperty("y").GetInt32(), place.GetProperty("h").GetInt32())
            select (x, y)).ToArray();
        Assert.Equal(cells.Length, cells.Distinct().Count());
        Assert.All(cells, static cell => Assert.InRange(cell.x, 0, 23));
    }

    [Fact]
    public void Alerts_AllAndOnlyThese_AreInTheGuide()
    {
        var documented = Repository.Read("docs", "guide", "dashboards.md").Split('\n')
            .Where(static line => line.StartsWith("| `Numa", StringComparison.Ordinal)).Select(static line => line.Split('`')[1]);
        var alerts = Alert().Matches(Rules()).Select(static match => match.Groups["name"].Value);
        Assert.Equal(alerts, documented);
    }

    private static JsonDocument Dashboard() =>
        JsonDocument.Parse(Repository.Read("docs", "dashboards", "numasharp-grafana.json"));

    private static string Rules() => Repository.Read("docs", "dashboards", "numasharp-alerts.yml");

    private static string[] DashboardExpressions()
    {
        using var dashboard = Dashboard();
        return
        [
            .. dashboard.RootElement.GetProperty("panels").EnumerateArray()
                .Where(static panel => panel.TryGetProperty("targets", out _))
                .SelectMany(static panel => panel.GetProperty("targets").EnumerateArray())
                .Select(static target => target.GetProperty("expr").GetString()!),
        ];
    }

    private static IEnumerable<string> AlertExpressions() =>
        Rule().Matches(Rules()).Select(static match => string.Join(' ', match.Groups["text"].Value.Split(
            '\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)));

    // https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#otlp-metric-points-to-prometheus
    private static IEnumerable<string> NamesOf(string name, string kind, string unit)
    {
        var plain = name.Replace('.', '_') + unit switch
        {
            "By" => "_bytes",
            "s" => "_seconds",
            "1" when kind == "Gauge" => "_ratio",
            _ => "",
        };
        return kind switch
        {
            "Counter" => [plain + "_total"],
            "Histogram" => [plain + "_bucket", plain + "_sum", plain + "_count"],
            _ => [plain],
        };
    }

    private static IEnumerable<string> LabelsOf(string attributes) =>
        attributes.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .Select(static attribute => attribute.Replace('.', '_'));

    // A label's name is followed by an operator, or is in a list, which is left out.
    [GeneratedRegex(@"numasharp_[a-z_]+(?=\{|\[|\)| [><]|$)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Name();

    [GeneratedRegex(@"(?<label>[a-z_]+)(=~|!~|!=|=)""", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Matcher();

    [GeneratedRegex(@"\b(by|on) ?\((?<labels>[a-z_, ]+)\)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Grouping();

    [GeneratedRegex(@"- alert: (?<name>\w+)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Alert();

    [GeneratedRegex(@"expr: (>-)?(?<text>.+?)\n +for:", RegexOptions.ExplicitCapture | RegexOptions.Singleline, Timeout.Infinite)]
    private static partial Regex Rule();
}
