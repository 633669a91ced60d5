using YamlDotNet.RepresentationModel;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>A folder for what is published; it goes with its contents.</summary>
internal sealed class PublishedFolder : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public string Path => _folder.Path;

    /// <summary>The document of a file.</summary>
    public YamlNode Read(params string[] path)
    {
        using var reader = File.OpenText(System.IO.Path.Combine([Path, .. path]));
        var stream = new YamlStream();
        stream.Load(reader);
        return stream.Documents.Single().RootNode;
    }

    public void Dispose() => _folder.Dispose();
}
