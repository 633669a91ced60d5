using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Settings;

/// <summary>
/// A key of the section as written when the section was walked, with the keys below it. A configuration scans all keys of all its
/// sources, including every environment variable, each time it enumerates the keys below a key: this is done once for each
/// existing key, not for each possible one.
/// </summary>
/// <param name="Path">The key below the section; empty for the section itself.</param>
/// <param name="Value">Its value, if it has one.</param>
/// <param name="Children">The keys below it, in the configuration's order.</param>
internal sealed record WrittenKey(string Path, string? Value, IReadOnlyList<WrittenKey> Children)
{
    /// <summary>The last part of the path.</summary>
    public string Name => ConfigurationPath.GetSectionKey(Path);

    /// <summary>Walks a section.</summary>
    public static WrittenKey Of(IConfigurationSection section) => Of(section, path: null);

    /// <summary>The key at a path relative to this one, or <see langword="null"/> if it is not written.</summary>
    public WrittenKey? Find(string path)
    {
        var key = this;
        foreach (var name in path.Split(ConfigurationPath.KeyDelimiter))
        {
            key = key?.Children.FirstOrDefault(child => child.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
        }

        return key;
    }

    /// <summary>The paths of the keys without keys below them: this one's, if it has none.</summary>
    public IEnumerable<string> Leaves() =>
        Children.Count == 0 ? [Path] : Children.SelectMany(static child => child.Leaves());

    // A name may be empty: that is not the section itself.
    private static WrittenKey Of(IConfigurationSection section, string? path) => new(
        path ?? "",
        section.Value,
        [.. section.GetChildren().Select(child =>
            Of(child, path is null ? child.Key : ConfigurationPath.Combine(path, child.Key)))]);
}
