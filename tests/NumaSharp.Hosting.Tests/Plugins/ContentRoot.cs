namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>An application's folder with a folder <c>plugins</c>, deleted at the end.</summary>
internal sealed class ContentRoot : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public ContentRoot() => Directory.CreateDirectory(PathOf("plugins"));

    /// <summary>Where the build has put the sample plugin and what it needs.</summary>
    public static string AcmeOutput { get; } = Path.GetFullPath(Path.Combine(
        AppContext.BaseDirectory, "..", "..", "AcmePlugin", Path.GetFileName(AppContext.BaseDirectory.TrimEnd('/', '\\'))));

    public string Root => _folder.Path;

    public string PathOf(params string[] parts) => Path.Combine([Root, .. parts]);

    /// <summary>Copies the sample plugin, its dependency and everything else of its build.</summary>
    public string AddAcme(string folder = "plugins")
    {
        Directory.CreateDirectory(PathOf(folder));
        foreach (var file in Directory.EnumerateFiles(AcmeOutput))
        {
            File.Copy(file, PathOf(folder, Path.GetFileName(file)), overwrite: true);
        }

        return Path.Combine(folder, "Acme.Numa.dll");
    }

    public string Add(string name, byte[] content)
    {
        var path = Path.Combine("plugins", name);
        File.WriteAllBytes(PathOf(path), content);
        return path;
    }

    public void Dispose() => _folder.Dispose();
}
