using System.Text.Json.Nodes;
using NumaSharp.Hosting.Tests.Schema;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>DocumentedBlocks.txt says what checks each block of code that other tests do not read, or why nothing does.</summary>
public sealed class DocumentedBlocksTests
{
    private static readonly CodeBlock[] s_blocks = [.. CodeBlock.Pages.SelectMany(CodeBlock.Of)];

    private static readonly HashSet<(string Page, string Entry)> s_listed =
        [.. ListedBlock.All.Select(static listed => (listed.Page, listed.Entry))];

    [Fact]
    public void Blocks_OtherThanSamplesAndSettings_AreListed() => Assert.Empty(
        from block in s_blocks
        where block.Language != "csharp" && !(block.Language == "json" && AreSettings(block))
        from entry in block.Entries
        where !s_listed.Contains((block.Page, entry))
        select $"{block.Place}: {entry}");

    [Fact]
    public void Blocks_OfTheList_AreOnTheirPages() => Assert.Empty(
        s_listed.Except(s_blocks.SelectMany(static block => block.Entries.Select(entry => (block.Page, entry)))));

    [Fact]
    public void Blocks_OfTheList_AreThereOnce() => Assert.Equal(s_listed.Count, ListedBlock.All.Count);

    [Fact]
    public void Checks_OfTheList_AreThere() => Assert.Empty(
        from listed in ListedBlock.All
        where listed.File is null ? listed.Reason.Length == 0 : !File.Exists(Repository.PathOf(listed.File))
        select $"{listed.Page}: {listed.Entry}: {listed.Check}");

    private static bool AreSettings(CodeBlock block) => JsonDocuments.ReadAll(block.Text)
        .TrueForAll(static document => document is JsonObject settings && settings.ContainsKey("Numa"));
}
