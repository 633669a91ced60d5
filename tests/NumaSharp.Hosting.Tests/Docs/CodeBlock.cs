namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>A block of code of a page: between fences, or four columns further in.</summary>
/// <param name="Page">The page, seen from the repository's root.</param>
/// <param name="Number">The number of its first line on the page.</param>
/// <param name="Language">What the fence says.</param>
/// <param name="Lines">The block's lines.</param>
internal sealed record CodeBlock(string Page, int Number, string Language, IReadOnlyList<string> Lines)
{
    private const string Fence = "```";
    private const string Margin = "    ";
    private const string Prompt = "$ ";
    private const string Indented = "indented";

    // What is for those who work on the models, the machines and the playground is no documentation of the product.
    private static readonly string[] s_otherPages = ["tests", "playground"];

    /// <summary>The pages of the documentation, seen from the repository's root; not the page that a benchmark writes.</summary>
    public static IEnumerable<string> Pages =>
        from file in Repository.MarkdownFiles
        where Path.GetDirectoryName(file) != Repository.Results
        let page = Path.GetRelativePath(Repository.Root, file).Replace(Path.DirectorySeparatorChar, '/')
        where !s_otherPages.Contains(page.Split('/')[0])
        orderby page
        select page;

    public string Text => string.Join('\n', Lines) + '\n';

    public string Place => $"{Page}:{Number}";

    /// <summary>Its commands, without their prompts. If it has none, its first line stands for it.</summary>
    public IEnumerable<string> Entries => Language switch
    {
        "bash" or "sh" or Indented => Lines.Select(static line => line.Trim()).Where(static line => line.Length > 0),
        _ => Lines.Where(static line => line.StartsWith(Prompt, StringComparison.Ordinal))
            .Select(static line => line[Prompt.Length..])
            .DefaultIfEmpty(Lines[0].Trim()),
    };

    public static IEnumerable<CodeBlock> Of(string page)
    {
        var lines = Repository.Read(page.Split('/')).Split('\n');
        for (var at = 0; at < lines.Length; at++)
        {
            if (lines[at].StartsWith(Fence, StringComparison.Ordinal))
            {
                var end = Array.IndexOf(lines, Fence, at + 1);
                yield return new CodeBlock(page, at + 2, lines[at][Fence.Length..], lines[(at + 1)..end]);
                at = end;
            }
            else if (IsIndented(lines[at]) && (at == 0 || lines[at - 1].Length == 0))
            {
                string[] block = [.. lines.Skip(at).TakeWhile(IsIndented)];
                yield return new CodeBlock(page, at + 1, Indented, block);
                at += block.Length - 1;
            }
        }
    }

    private static bool IsIndented(string line) => line.StartsWith(Margin, StringComparison.Ordinal);
}
