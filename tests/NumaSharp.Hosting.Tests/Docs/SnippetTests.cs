using System.Text.Json.Nodes;
using NumaSharp.Hosting.Tests.Schema;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>C# of the documentation compiles, and JSON is what it should be. DocumentedBlocks.txt lists the exceptions.</summary>
public sealed class SnippetTests
{
    public static TheoryData<string> PagesWithCode =>
        [.. CodeBlock.Pages.Where(static page => BlocksOf(page, "csharp").Any())];

    [Theory]
    [MemberData(nameof(PagesWithCode))]
    public void Code_OfAPage_Compiles(string page) => Assert.All(
        BlocksOf(page, "csharp"),
        static block => Assert.Empty(SnippetCompiler.ErrorsOf(block.Text).Select(error => $"{block.Place}: {error}")));

    // AjvTests compares them with the schema.
    [Fact]
    public void Json_OfThePages_IsSettings() => Assert.All(
        CodeBlock.Pages.SelectMany(static page => BlocksOf(page, "json")),
        static block => Assert.All(
            JsonDocuments.ReadAll(block.Text),
            document => Assert.True(document is JsonObject settings && settings.ContainsKey("Numa"), block.Place)));

    private static IEnumerable<CodeBlock> BlocksOf(string page, string language) =>
        from block in CodeBlock.Of(page)
        where block.Language == language
        where !ListedBlock.All.Any(listed => listed.Page == page && block.Entries.Contains(listed.Entry))
        select block;
}
