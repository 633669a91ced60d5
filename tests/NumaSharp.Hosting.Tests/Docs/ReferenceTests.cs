using System.Diagnostics.Tracing;
using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Docs;

public sealed partial class ReferenceTests
{
    [Fact]
    public void Events_OfTheReference_AreThoseOfTheCode()
    {
        var rows = EventRow().Matches(Repository.Read("docs", "reference", "events.md"))
            .Select(static row => (row.Groups[1].Value, row.Groups[2].Value, row.Groups[3].Value));
        Assert.Equal(
            new[] { typeof(NumaTaskScheduler), typeof(NumaOptions), typeof(EpollTransportFactory), typeof(NumaUdpSocketFactory) }
                .SelectMany(static type => EventsOf(type.Assembly)).Order(),
            rows.Order());
    }

    [Fact]
    public void EventSources_OfTheReference_AreThoseOfTheCode()
    {
        var text = Repository.Read("docs", "reference", "events.md");
        var rows = EventSourceRow().Matches(text).Select(static row => string.Join(" | ", row.Groups.Values.Skip(1)));
        var sources = typeof(NumaTaskScheduler).Assembly.GetTypes().Where(static type => type.IsSubclassOf(typeof(EventSource)));
        Assert.All(sources, source => Assert.Contains($"`{EventSource.GetName(source)}`", text, StringComparison.Ordinal));
        Assert.Equal(
            (from source in sources
             from method in source.GetMethods(BindingFlags.Public | BindingFlags.Instance)
             let definition = method.GetCustomAttribute<EventAttribute>()
             where definition is not null
             let payload = string.Join(", ", method.GetParameters().Select(static parameter => parameter.Name))
             let key = $"{definition.EventId} | {definition.Level} | {(long)definition.Keywords}"
             select $"{key} | {method.Name} | {payload}").Order(),
            rows.Order());
    }

    [Fact]
    public void Features_OfTheReference_AreThoseOfTheCode()
    {
        var documented = FeatureRow().Matches(Repository.Read("docs", "reference", "diagnostics.md"))
            .Select(static row => row.Groups[1].Value);
        Assert.Equal(FeaturesOfSources().Distinct().Order(StringComparer.Ordinal), documented.Order(StringComparer.Ordinal));
    }

    private static IEnumerable<(string Id, string Level, string Text)> EventsOf(Assembly assembly) =>
        from type in assembly.GetTypes()
        from method in type.GetMethods(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static)
        let message = method.GetCustomAttribute<LoggerMessageAttribute>()
        where message is not null
        select ($"{message.EventId}", $"{message.Level}", message.Message);

    // A feature is written as a literal: area, dot, word.
    private static IEnumerable<string> FeaturesOfSources() =>
        from folder in new List<string> { "src", "hosting", "plugins" }
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.cs", SearchOption.AllDirectories)
        from match in FeatureLiteral().Matches(File.ReadAllText(file))
        select match.Groups[1].Value;

    [GeneratedRegex(@"^\| (\d+) \| (\w+) \| [\w.]+ \| (.+) \|$", RegexOptions.Multiline, 1000)]
    private static partial Regex EventRow();

    // The keyword's number; 0 is none.
    [GeneratedRegex(@"^\| (\d+) \| (\w+) \| (?:\w+ )?\((\d+)\) \| (\w+) \| ([\w, ]+) \|$", RegexOptions.Multiline, 1000)]
    private static partial Regex EventSourceRow();

    [GeneratedRegex(@"^\| `([a-z]+\.[a-z]+)` \|", RegexOptions.Multiline, 1000)]
    private static partial Regex FeatureRow();

    [GeneratedRegex(
        "\"((?:affinity|binding|loop|memory|plugins|scheduler|telemetry|topology|transport|udp)\\.[a-z]+)\"",
        RegexOptions.None,
        1000)]
    private static partial Regex FeatureLiteral();
}
