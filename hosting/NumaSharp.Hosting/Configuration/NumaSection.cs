using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Configuration;

/// <summary>The configuration section, walked along the table of settings.</summary>
internal sealed class NumaSection(IConfigurationSection? section)
{
    /// <summary>What the keys in messages begin with, such as <c>Numa:</c>.</summary>
    public string Prefix { get; } = (section?.Path ?? NumaSettings.SectionName) + ConfigurationPath.KeyDelimiter;

    /// <summary>Reads every key that is set.</summary>
    /// <param name="options">Gets the values; keys that cannot be read leave it as it is.</param>
    /// <returns>What could not be read.</returns>
    public List<SettingFailure> Bind(NumaOptions options)
    {
        var failures = new List<SettingFailure>();
        foreach (var setting in NumaSettings.All)
        {
            if (section?.GetSection(setting.Path) is { } key)
            {
                failures.AddRange(setting.Read(options, key));
            }
        }

        failures.AddRange(FindMisplacedValues());
        return failures;
    }

    /// <summary>The text of a key as it was written, or <see langword="null"/> when it is not set.</summary>
    public string? TextOf(string path) => section?[path] is { Length: > 0 } text ? text : null;

    /// <summary>Finds the keys that mean nothing.</summary>
    public IEnumerable<UnknownSetting> FindUnknown() =>
        section is null ? [] : Leaves(section, "").Where(static path => !IsKnown(path)).Select(UnknownSetting.For);

    private static bool IsKnown(string path) =>
        NumaSettings.All.Any(setting =>
            path.Equals(setting.Path, StringComparison.OrdinalIgnoreCase)
            || path.StartsWith(setting.Path + ConfigurationPath.KeyDelimiter, StringComparison.OrdinalIgnoreCase)
            || setting.Path.StartsWith(path + ConfigurationPath.KeyDelimiter, StringComparison.OrdinalIgnoreCase));

    private static IEnumerable<string> Leaves(IConfigurationSection section, string path)
    {
        var children = section.GetChildren().ToArray();
        if (children.Length == 0)
        {
            return path.Length == 0 ? [] : [path];
        }

        return children.SelectMany(child =>
            Leaves(child, path.Length == 0 ? child.Key : path + ConfigurationPath.KeyDelimiter + child.Key));
    }

    // "Transport": "fast" is a mistake that no key of the table sees.
    private IEnumerable<SettingFailure> FindMisplacedValues() =>
        NumaSettings.All
            .Select(static setting => ConfigurationPath.GetParentPath(setting.Path))
            .OfType<string>()
            .Distinct(StringComparer.OrdinalIgnoreCase)
            .Where(group => !string.IsNullOrWhiteSpace(section?[group]))
            .Select(group => new SettingFailure(group, section![group]!, "must be a section, not a value"));
}
