namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>An entry of DocumentedBlocks.txt: a command, or a block's first line, and what checks it.</summary>
internal sealed record ListedBlock(string Page, string Entry, string Check)
{
    // That test or script runs the command, does what it does, or checks what the block shows.
    private const string By = "by ";

    // Nothing does, and why.
    private const string No = "no: ";

    public static IReadOnlyList<ListedBlock> All { get; } = [.. Read()];

    /// <summary>What checks it, seen from the repository's root.</summary>
    public string? File => Check.StartsWith(By, StringComparison.Ordinal) ? Check[By.Length..] : null;

    /// <summary>Why nothing does; empty if the list does not say.</summary>
    public string Reason => Check.StartsWith(No, StringComparison.Ordinal) ? Check[No.Length..] : "";

    private static IEnumerable<ListedBlock> Read()
    {
        var (page, entry) = ("", "");
        foreach (var line in Repository.Read("tests", "NumaSharp.Hosting.Tests", "Docs", "DocumentedBlocks.txt").Split('\n'))
        {
            if (line.StartsWith("page ", StringComparison.Ordinal))
            {
                page = line["page ".Length..];
            }
            else if (line.StartsWith("    ", StringComparison.Ordinal))
            {
                yield return new ListedBlock(page, entry, line.Trim());
            }
            else if (line.Length > 0 && line[0] != '#')
            {
                entry = line;
            }
        }
    }
}
