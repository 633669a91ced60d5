using System.IO.Compression;
using System.Xml.Linq;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>A package, or the package of its symbols.</summary>
internal sealed class PackageFile : IDisposable
{
    private readonly ZipArchive _archive;
    private readonly XElement _metadata;

    public PackageFile(string path)
    {
        _archive = ZipFile.OpenRead(path);
        using var manifest = _archive.Entries
            .Single(static entry => entry.FullName.EndsWith(".nuspec", StringComparison.Ordinal))
            .Open();
        _metadata = XDocument.Load(manifest).Root!.Elements().Single(static part => part.Name.LocalName == "metadata");
    }

    /// <summary>The files in it.</summary>
    public IReadOnlyList<string> Entries => [.. _archive.Entries.Select(static entry => entry.FullName)];

    /// <summary>The packages of this product that it needs, each with the range of versions.</summary>
    public IReadOnlyList<(string Id, string Versions)> OwnDependencies =>
    [
        .. _metadata.Descendants()
            .Where(static part => part.Name.LocalName == "dependency")
            .Select(static part => (part.Attribute("id")!.Value, part.Attribute("version")!.Value))
            .Where(static one => one.Item1.StartsWith("NumaSharp", StringComparison.Ordinal)),
    ];

    /// <summary>What the package says of itself, such as <c>tags</c>; empty if it says nothing.</summary>
    public string TextOf(string name) => Find(name)?.Value ?? "";

    /// <summary>An attribute of what it says.</summary>
    public string AttributeOf(string name, string attribute) => Find(name)?.Attribute(attribute)?.Value ?? "";

    public byte[] Read(string entry)
    {
        using var content = _archive.GetEntry(entry)!.Open();
        using var bytes = new MemoryStream();
        content.CopyTo(bytes);
        return bytes.ToArray();
    }

    public string ReadText(string entry) => System.Text.Encoding.UTF8.GetString(Read(entry)).ReplaceLineEndings("\n");

    public void Dispose() => _archive.Dispose();

    private XElement? Find(string name) => _metadata.Elements().FirstOrDefault(part => part.Name.LocalName == name);
}
