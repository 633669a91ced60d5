using System.Diagnostics;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Schema;

/// <summary>The schema checked by another validator, as editors do: ajv (Debian: node-ajv).</summary>
public sealed partial class AjvTests
{
    // One process for all documents; a line of errors, or an empty one, for each.
    private const string Script = """
        const Ajv = require('ajv');
        const [schema, documents] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
        const ajv = new Ajv({ allErrors: true });
        const validate = ajv.compile(schema);
        for (const document of documents) {
          console.log(validate(document) ? '' : ajv.errorsText(validate.errors));
        }
        """;

    [Fact]
    public async Task Schema_Samples_AreAllowed()
    {
        (string Name, JsonNode Document)[] documents =
        [
            .. SchemaTests.Samples.Select(static row => (row.Data, JsonNode.Parse(Repository.Read(row.Data))!)),
            .. SchemaTests.Allowed.Select(static row => (row.Data, Wrap(row.Data))),
            .. Repository.MarkdownFiles.SelectMany(ReadBlocks),
        ];
        Assert.True(documents.Length > 15, $"Only {documents.Length} samples were found.");
        var errors = await ValidateAsync(documents.Select(static one => one.Document));

        Assert.All(documents.Zip(errors), static one => Assert.True(one.Second.Length == 0, $"{one.First.Name}: {one.Second}"));
    }

    [Fact]
    public async Task Schema_SettingsThatAStartRefusesOrWarnsOf_AreRefused()
    {
        string[] sections = [.. SchemaTests.Refused.Select(static row => row.Data)];
        var errors = await ValidateAsync(sections.Select(Wrap));

        Assert.All(sections.Zip(errors), static one => Assert.True(one.Second.Length > 0, $"{one.First} is allowed."));
    }

    private static JsonNode Wrap(string numa) => JsonNode.Parse($$"""{ "Numa": {{numa}} }""")!;

    private static async Task<string[]> ValidateAsync(IEnumerable<JsonNode> documents)
    {
        Assert.SkipUnless(Directory.Exists("/usr/share/nodejs/ajv"), "node-ajv is not installed.");
        ExternalProgram.SkipUnlessThere("node");
        var input = new JsonArray(
            JsonNode.Parse(Repository.Read("appsettings.schema.json")), new JsonArray([.. documents.Select(Clone)]));
        var result = await ExternalProgram.TryAsync(
            new ProcessStartInfo("node", ["-e", Script]) { Environment = { ["NODE_PATH"] = "/usr/share/nodejs" } },
            input.ToJsonString());
        Assert.True(result.Succeeded, result.Errors);
        return result.Output.Split('\n')[..^1];
    }

    // A node of a document has that as its parent.
    private static JsonNode Clone(JsonNode document) => document.DeepClone();

    private static IEnumerable<(string Name, JsonNode Document)> ReadBlocks(string file) =>
        from block in JsonBlock().Matches(File.ReadAllText(file))
        from document in JsonDocuments.ReadAll(block.Groups["json"].Value)
        where document is JsonObject sample && sample.ContainsKey("Numa")
        select ($"{Path.GetRelativePath(Repository.Root, file)} at {block.Index}", document);

    [GeneratedRegex("```json\n(?<json>.*?)```", RegexOptions.ExplicitCapture | RegexOptions.Singleline, Timeout.Infinite)]
    private static partial Regex JsonBlock();
}
