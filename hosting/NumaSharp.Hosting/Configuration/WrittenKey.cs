using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// A key of the section as it was written when the section was walked, with the keys below it. A configuration goes through all
/// keys of all its sources, among them every environment variable, each time that it is asked what is below a key: it is asked
/// once for each key that is there, not for each that could be.
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

    /// <summary>The key at a path from this one on, or <see langword="null"/> where nothing is written.</summary>
    public WrittenKey? Find(string path)
    {
        var key = this;
        foreach (var name in path.Split(ConfigurationPath.KeyDelimiter))
        {
            key = key?.Children.FirstOrDefault(child => child.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
        }

        return key;
    }

    /// <summary>The paths of the keys that have none below them: this one's, where it has none.</summary>
    public IEnumerable<string> Leaves() =>
        Children.Count == 0 ? [Path] : Children.SelectMany(static child => child.Leaves());

    // A name may be empty: that is not the section itself.
    private static WrittenKey Of(IConfigurationSection section, string? path) => new(
        path ?? "",
        section.Value,
        [.. section.GetChildren().Select(child =>
            Of(child, path is null ? child.Key : ConfigurationPath.Combine(path, child.Key)))]);
}
