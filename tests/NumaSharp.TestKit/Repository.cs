namespace NumaSharp.TestKit;

/// <summary>Files of the repository that tests read: docs, schema, samples, sources.</summary>
public static class Repository
{
    public static string Root { get; } = FindRoot();

    /// <summary>All pages in Markdown: in docs, beside the projects, at the root. What a test expects is none.</summary>
    public static IEnumerable<string> MarkdownFiles =>
        Directory.EnumerateDirectories(Root)
            .Where(static folder => Path.GetFileName(folder) is not ("artifacts" or ".git"))
            .SelectMany(static folder => Directory.EnumerateFiles(folder, "*.md", SearchOption.AllDirectories))
            .Where(static file => Path.GetFileName(Path.GetDirectoryName(file)) != "Golden")
            .Concat(Directory.EnumerateFiles(Root, "*.md"));

    /// <summary>The folder of results. A benchmark writes its page, so it is not checked as other pages are.</summary>
    public static string Results { get; } = PathOf("docs", "results");

    public static string PathOf(params string[] parts) => Path.Combine([Root, .. parts]);

    public static string Read(params string[] parts) => File.ReadAllText(PathOf(parts)).ReplaceLineEndings("\n");

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "NumaSharp.Hosting.sln")))
            {
                return folder.FullName;
            }
        }

        throw new InvalidOperationException($"{AppContext.BaseDirectory} is not inside the repository.");
    }
}
