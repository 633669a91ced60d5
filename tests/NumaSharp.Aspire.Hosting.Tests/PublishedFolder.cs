using YamlDotNet.RepresentationModel;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>A folder for what is published; it goes with its contents.</summary>
internal sealed class PublishedFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("numasharp-publish-").FullName;

    /// <summary>The document of a file.</summary>
    public YamlNode Read(params string[] path)
    {
        using var reader = File.OpenText(System.IO.Path.Combine([Path, .. path]));
        var stream = new YamlStream();
        stream.Load(reader);
        return stream.Documents.Single().RootNode;
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
