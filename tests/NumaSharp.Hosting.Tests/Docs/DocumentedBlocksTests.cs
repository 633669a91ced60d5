namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>Each block of code of the documentation is checked, or DocumentedBlocks.txt says why not.</summary>
public sealed class DocumentedBlocksTests
{
    private static readonly CodeBlock[] s_blocks = [.. CodeBlock.Pages.SelectMany(CodeBlock.Of)];

    private static readonly HashSet<(string Page, string Entry)> s_listed =
        [.. ListedBlock.All.Select(static listed => (listed.Page, listed.Entry))];

    [Fact]
    public void Blocks_ThatAreNotCheckedByThemselves_AreListed() => Assert.Empty(
        from block in s_blocks
        where !block.IsCheckedByItself
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

    [Fact]
    public void Blocks_ThatAreInAFile_AreItsLines() => Assert.Empty(
        from listed in ListedBlock.All
        where listed.IsInFile
        let file = Repository.Read(listed.File!.Split('/')).Split('\n').Select(static line => line.Trim()).ToArray()
        from block in s_blocks
        where block.Page == listed.Page && block.Entries.Contains(listed.Entry) && !HasInOrder(file, block.Lines)
        select $"{block.Place}: not in {listed.File}");

    // However far in they are.
    private static bool HasInOrder(string[] file, IEnumerable<string> lines)
    {
        var at = -1;
        return lines.Select(static line => line.Trim())
            .Where(static line => line.Length > 0)
            .All(line => (at = Array.IndexOf(file, line, at + 1)) >= 0);
    }
}
