using System.Text.Json.Nodes;
using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Schema;

public sealed class SchemaTests
{
    private static readonly string s_file = Repository.PathOf("appsettings.schema.json");
    private static readonly string[] s_foldersOfSamples = ["playground", "templates"];

    public static TheoryData<string> Samples =>
    [
        .. s_foldersOfSamples
            .SelectMany(static folder => Directory.EnumerateFiles(
                Repository.PathOf(folder), "appsettings*.json", SearchOption.AllDirectories))
            .Where(static file => !file.Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj"))
            .Select(static file => Path.GetRelativePath(Repository.Root, file)),
    ];

    /// <summary>Sections that a start refuses, or warns of.</summary>
    public static TheoryData<string> Refused =>
    [
        """{ "Transport": { "Backlog": "many" } }""",
        """{ "Transport": { "Backlog": 0 } }""",
        """{ "Transport": { "Backlgo": 1 } }""",
        """{ "Transport": { "StallThreshold": "5" } }""",
        """{ "Transport": { "MaxReadBufferSize": "1MB" } }""",
        """{ "Transport": true }""",
        """{ "Binding": { "Mode": "Hard" } }""",
        """{ "Binding": { "Nodes": [0, 1] } }""",
        """{ "Binding": { "Weights": "0=3" } }""",
        """{ "Binding": { "Weights": { "0": 0 } } }""",
        """{ "Binding": { "Weights": { "first": 1 } } }""",
        """{ "Binding": { "Map": { "0": "0-3" } } }""",
        """{ "Binding": { "Map": { "0": [0, 2] } } }""",
        """{ "Enabled": "maybe" }""",
        """{ "Plugins": [{ "Assembly": "a.dll", "Sha256": "12" }] }""",
        """{ "Plugins": [{ "Assembly": "a.dll", "Hash": "12" }] }""",
        """{ "Plugins": ["a.dll"] }""",
        """{ "Plugins": "a.dll" }""",
        """{ "Transprot": {} }""",
        """{ "Acme": { "Nodes": 2 } }""",
        "2",
    ];

    /// <summary>Sections that a start takes.</summary>
    public static TheoryData<string> Allowed =>
    [
        """{ "Transport": { "Backlog": 1, "StallThreshold": "00:00:00.005", "MaxReadBufferSize": "1 MiB" } }""",
        """{ "Transport": { "MaxWriteBufferSize": 65536, "StallThreshold": "1.5ms", "Dispatch": "Inline" } }""",
        """{ "Binding": { "Nodes": 0, "Cpus": "0-3,8", "Mode": "Strict" }, "Enabled": false }""",
        """{ "Binding": { "Weights": { "0": 3, "2": 255 }, "Map": { "0": "0, 2", "1": 1 }, "NetworkDevice": "e" } }""",
        """{ "Affinity": { "Granularity": "Core", "AvoidSmtSiblings": true }, "Binding": { "Policy": "Saturate" } }""",
        """{ "Memory": { "LimitPerNode": 0, "BlockSize": "4KiB" } }""",
        """{ "Plugins": [] }""",
        "false",
        "true",
        """{ "Plugins": [{ "Assembly": "plugins/a.dll" }, { "Assembly": "plugins/b.dll" }] }""",
    ];

    [Fact]
    public void Schema_Committed_IsTheGeneratedOne()
    {
        var generated = SchemaGenerator.Generate();
        if (Environment.GetEnvironmentVariable("UPDATE_SCHEMA") == "1")
        {
            File.WriteAllText(s_file, generated);
        }

        Assert.True(
            File.Exists(s_file) && File.ReadAllText(s_file).ReplaceLineEndings("\n") == generated,
            "appsettings.schema.json is not what the settings say. Run the tests with UPDATE_SCHEMA=1 and commit the file.");
    }

    [Fact]
    public void Schema_EverySettingsDefault_IsAllowedByIt()
    {
        var schema = ReadSchema();
        Assert.All(NumaSettings.All, setting =>
        {
            var described = setting.Path.Split(':').Aggregate(
                schema["properties"]!["Numa"]!, static (section, part) => part switch
                {
                    Setting.AnyIndex => section["items"]!,
                    Setting.AnyName => section["additionalProperties"]!,
                    _ => section["properties"]![part]!,
                }).AsObject();
            Assert.Empty(described["default"] is { } value ? SchemaWalker.Check(value, described) : []);
            Assert.NotEmpty(setting.Description);
        });
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public void Schema_SettingsThatAStartRefusesOrWarnsOf_AreRefused(string numa)
    {
        Assert.NotEmpty(SchemaWalker.Check(JsonNode.Parse($$"""{ "Numa": {{numa}} }"""), ReadSchema()));
        var section = SectionOf(numa);
        Assert.NotEmpty(section.Bind(new NumaOptions()).Select(static failure => failure.Path)
            .Concat(section.FindUnknown([]).Select(static unknown => unknown.Path)));
    }

    [Theory]
    [MemberData(nameof(Allowed))]
    public void Schema_SettingsThatAStartTakes_AreAllowed(string numa)
    {
        Assert.Empty(SchemaWalker.Check(JsonNode.Parse($$"""{ "Numa": {{numa}} }"""), ReadSchema()));
        Assert.Empty(SectionOf(numa).Bind(new NumaOptions()));
        Assert.Empty(SectionOf(numa).FindUnknown([]));
    }

    [Theory]
    [InlineData("""{ "Simulated": { "Preset": "Nps4" } }""")]
    [InlineData("""{ "Plugins": [{ "Assembly": "plugins/Acme.Numa.dll" }], "Acme": { "Nodes": 2 } }""")]
    public void Schema_SectionsOfPlugins_AreAllowed(string numa) =>
        Assert.Empty(SchemaWalker.Check(JsonNode.Parse($$"""{ "Numa": {{numa}} }"""), ReadSchema()));

    [Theory]
    [MemberData(nameof(Samples))]
    public void Schema_EverySample_IsAllowedByIt(string file) =>
        Assert.Empty(SchemaWalker.Check(JsonNode.Parse(Repository.Read(file)), ReadSchema()));

    [Fact]
    public void Samples_AreFound() => Assert.NotEmpty(Samples);

    private static JsonObject ReadSchema() => JsonNode.Parse(Repository.Read("appsettings.schema.json"))!.AsObject();

    private static NumaSection SectionOf(string numa)
    {
        using var json = new MemoryStream(System.Text.Encoding.UTF8.GetBytes($$"""{ "Numa": {{numa}} }"""));
        return new NumaSection(new ConfigurationBuilder().AddJsonStream(json).Build().GetSection("Numa"));
    }
}
