using System.Diagnostics.Tracing;
using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Docs;

public sealed partial class ReferenceTests
{
    private static readonly HashSet<string> s_components = FallbackCatalog.All
        .Select(static kind => kind.Id.Split('.')[0]).ToHashSet(StringComparer.Ordinal);

    private static readonly Assembly[] s_assemblies =
    [
        typeof(NumaTaskScheduler).Assembly, typeof(NumaOptions).Assembly, typeof(EpollTransportFactory).Assembly,
        typeof(NumaUdpSocketFactory).Assembly,
    ];

    [Fact]
    public void Events_OfTheReference_AreThoseOfTheCode()
    {
        var rows = EventRow().Matches(Repository.Read("docs", "reference", "events.md"))
            .Select(static row => (row.Groups[1].Value, row.Groups[2].Value, row.Groups[3].Value));
        Assert.Equal(
            (from assembly in s_assemblies
             from type in assembly.GetTypes()
             from message in MessagesOf(type)
             select ($"{message.EventId}", $"{message.Level}", message.Message)).Order(),
            rows.Order());
    }

    // The generator writes the classes of an assembly in an order that differs from build to build, and so would the package.
    [Fact]
    public void Events_OfAnAssembly_AreOfOneClass() => Assert.All(
        s_assemblies,
        static assembly => Assert.Single(assembly.GetTypes(), static type => MessagesOf(type).Any()));

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
    public void Fallbacks_OfTheReference_AreThoseOfTheCatalog() => GeneratedPart.Verify(
        "UPDATE_REFERENCE",
        string.Concat(FallbackCatalog.All
            .OrderBy(static kind => kind.Id, StringComparer.Ordinal)
            .Select(static kind => $"| `{kind.Id}` | {kind.Cause} | {kind.Effect} | {kind.Remedy} |\n")
            .Prepend("| feature | what is unavailable | what happens instead | what to do |\n|---|---|---|---|\n")),
        "docs", "reference", "diagnostics.md");

    [Fact]
    public void Fallbacks_OfTheSources_AreEntriesOfTheCatalog()
    {
        var sources = ShippingSources().ToArray();
        Assert.Empty(
            from source in sources
            from literal in QuotedWords().Matches(source.Text)
            where s_components.Contains(literal.Groups[1].Value)
            select $"{source.Path}: {literal.Value}");

        // An entry that nothing reports is a promise without an effect.
        var used = sources.SelectMany(static source => CatalogEntry().Matches(source.Text))
            .Select(static entry => entry.Groups[1].Value);
        Assert.Empty(typeof(FallbackCatalog).GetFields(BindingFlags.Public | BindingFlags.Static)
            .Where(static field => field.FieldType == typeof(FallbackKind))
            .Select(static field => field.Name)
            .Except(used));
    }

    private static IEnumerable<LoggerMessageAttribute> MessagesOf(Type type) =>
        type.GetMethods(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static)
            .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>())
            .OfType<LoggerMessageAttribute>();

    private static IEnumerable<(string Path, string Text)> ShippingSources() =>
        from folder in new List<string> { "src", "hosting", "plugins" }
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.cs", SearchOption.AllDirectories)
        where Path.GetFileName(file) != $"{nameof(FallbackCatalog)}.cs"
        select (file, File.ReadAllText(file));

    [GeneratedRegex(@"^\| (\d+) \| (\w+) \| [\w.]+ \| (.+) \|$", RegexOptions.Multiline, Timeout.Infinite)]
    private static partial Regex EventRow();

    // The keyword's number; 0 is none.
    [GeneratedRegex(
        @"^\| (\d+) \| (\w+) \| (?:\w+ )?\((\d+)\) \| (\w+) \| ([\w, ]+) \|$",
        RegexOptions.Multiline,
        Timeout.Infinite)]
    private static partial Regex EventSourceRow();

    [GeneratedRegex(@"""([a-z]+)\.[a-z]+""", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex QuotedWords();

    [GeneratedRegex(@"\bFallbackCatalog\.(\w+)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex CatalogEntry();
}
