using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Primitives;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>The configuration section, read according to the table of settings.</summary>
/// <param name="section">The section.</param>
/// <param name="configuration">The configuration it belongs to, which has the sources of values.</param>
internal sealed partial class NumaSection(IConfigurationSection? section, IConfiguration? configuration = null)
{
    private static readonly string[] s_any =
        [ConfigurationPath.KeyDelimiter + Setting.AnyIndex, ConfigurationPath.KeyDelimiter + Setting.AnyName];

    private readonly IChangeToken? _first = section?.GetReloadToken();

    /// <summary>Whether the configuration was reloaded since this was created.</summary>
    public bool HasChanged => _first is { HasChanged: true };

    /// <summary>The prefix of keys in messages, such as <c>Numa:</c>.</summary>
    public string Prefix { get; } = (section?.Path ?? NumaSettings.SectionName) + ConfigurationPath.KeyDelimiter;

    /// <summary>Calls back whenever the configuration was reloaded; <see langword="null"/> if there is none.</summary>
    public IDisposable? OnReload(Action callback) =>
        section is null ? null : ChangeToken.OnChange(section.GetReloadToken, callback);

    /// <summary>Reads every key that is set.</summary>
    /// <param name="options">Receives the values; unreadable keys leave it unchanged.</param>
    /// <returns>The keys that could not be read.</returns>
    public List<SettingFailure> Bind(NumaOptions options)
    {
        if (Walk() is not { } written)
        {
            return [];
        }

        var failures = new List<SettingFailure>();
        if (written.Children.Count > 0)
        {
            foreach (var setting in NumaSettings.All)
            {
                foreach (var (_, key) in KeysOf(written, setting.Path))
                {
                    failures.AddRange(setting.Read(options, key));
                }
            }

            failures.AddRange(FindMisplacedValues(written));
        }

        failures.AddRange(ReadSwitch(written, options));
        return failures;
    }

    /// <summary>The text of a key as written, or <see langword="null"/> if it is not set.</summary>
    public string? TextOf(string path) => section?[path] is { Length: > 0 } text ? text : null;

    /// <summary>Finds unknown keys.</summary>
    /// <param name="plugins">The sections that plugins check themselves.</param>
    public IEnumerable<UnknownSetting> FindUnknown(IReadOnlyCollection<string> plugins) =>
        FirstKeys()
            .Where(key => !plugins.Contains(key.Name, StringComparer.OrdinalIgnoreCase))
            .SelectMany(static key => key.Leaves())
            .Where(static path => !NumaSettings.All.Any(setting => setting.IsRelatedTo(path)))
            .Select(UnknownSetting.For);

    /// <summary>Finds sections without a known setting: possibly those of plugins that are not loaded.</summary>
    public IEnumerable<string> FindUnknownSections() =>
        FirstKeys()
            .Where(static key => key.Children.Count > 0)
            .Select(static key => key.Name)
            .Where(static name => !NumaSettings.All.Any(setting => setting.IsRelatedTo(name)));

    /// <summary>A plugin's section.</summary>
    public NumaPluginSettings SettingsOf(string plugin) => new(
        plugin,
        section?.GetSection(plugin).AsEnumerable(makePathsRelative: true)
            .Where(static pair => !string.IsNullOrWhiteSpace(pair.Value))
            .Select(static pair => KeyValuePair.Create(pair.Key, pair.Value!)) ?? []);

    private WrittenKey? Walk() => section is null ? null : WrittenKey.Of(section);

    private IReadOnlyList<WrittenKey> FirstKeys() => Walk()?.Children ?? [];

    // The written keys, with their paths as spelled in the table. If a path names any item of a list, or any section of a group,
    // their keys in their order.
    private static IEnumerable<(string Path, WrittenKey Key)> KeysOf(WrittenKey written, string path) =>
        path.Split(s_any, StringSplitOptions.None) is [var list, var name]
            ? from item in written.Find(list)?.Children ?? []
              let key = name.Length == 0 ? item : item.Find(name[1..])
              where key is not null
              select (ConfigurationPath.Combine(list, item.Name) + name, key!)
            : written.Find(path) is { } one ? [(path, one)] : [];

    // "Transport": "fast" is a mistake that no key of the table detects.
    private static IEnumerable<SettingFailure> FindMisplacedValues(WrittenKey written) =>
        NumaSettings.All
            .SelectMany(static setting => ParentsOf(setting.Path))
            .Distinct(StringComparer.OrdinalIgnoreCase)
            .SelectMany(path => KeysOf(written, path))
            .Where(static group => !string.IsNullOrWhiteSpace(group.Key.Value))
            .Select(static group => new SettingFailure(group.Path, group.Key.Value!, "must be a section, not a value"));

    private static IEnumerable<string> ParentsOf(string path)
    {
        while (ConfigurationPath.GetParentPath(path) is { } parent)
        {
            yield return path = parent;
        }
    }
}
