using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting;

/// <summary>An assembly with providers: an item of <c>Numa:Plugins</c>.</summary>
public sealed class NumaPluginOptions : IConfiguredItem
{
    /// <summary>
    /// The file, relative to the content root or absolute. It must be below the content root's folder <c>plugins</c>, and neither
    /// it nor a folder in its path may be world-writable.
    /// </summary>
    public string Assembly { get; set; } = "";

    /// <summary>The SHA-256 of the file, 64 hexadecimal digits; a file with another hash is refused.</summary>
    /// <value>Default empty: not checked.</value>
    public string Sha256 { get; set; } = "";

    string? IConfiguredItem.Key { get; set; }
}
