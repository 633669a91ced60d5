using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.CommandLine;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
using Microsoft.Extensions.Configuration.Memory;
using Microsoft.Extensions.Primitives;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

/// <summary>The configuration section, read according to the table of settings.</summary>
/// <param name="section">The section.</param>
/// <param name="configuration">The configuration it belongs to, which has the sources of values.</param>
internal sealed class NumaSection(IConfigurationSection? section, IConfiguration? configuration = null)
{
    private const string Switch = "Enabled";

    private static readonly string[] s_any =
        [ConfigurationPath.KeyDelimiter + Setting.AnyIndex, ConfigurationPath.KeyDelimiter + Setting.AnyName];

    private readonly IChangeToken? _first = section?.GetReloadToken();

    private readonly SettingSources _sources = new(configuration);

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

    /// <summary>A failure as a line: the key, its value, the source of the value, and what is allowed.</summary>
    public string Describe(SettingFailure failure)
    {
        var key = KeyOf(failure.Path);
        return _sources.NameOf(key, out var written) is { } source && MeansSame(failure, written)
            ? (failure with { Value = written ?? failure.Value }).ToText(key, source)
            : failure.ToText(key, source: null);
    }

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

    // "Numa": false, or Numa=off, means Enabled. The later source of the two counts.
    private IEnumerable<SettingFailure> ReadSwitch(WrittenKey written, NumaOptions options)
    {
        var text = written.Value?.Trim();
        // The environment variable NUMA is also read as the section's value.
        bool? value = text?.ToUpperInvariant() switch
        {
            "TRUE" or "ON" or "YES" or "1" => true,
            "FALSE" or "OFF" or "NO" or "0" => false,
            _ => null,
        };
        if (value is not { } enabled)
        {
            return string.IsNullOrEmpty(text)
                ? []
                : [new SettingFailure("", text, "must be a section, or true, on, false or off for its key Enabled")];
        }

        if (string.IsNullOrEmpty(written.Find(Switch)?.Value)
            || _sources.OrderOf(section!.Path) > _sources.OrderOf(KeyOf(Switch)))
        {
            options.Enabled = enabled;
        }

        return [];
    }

    private string KeyOf(string path) => path.Length == 0 ? Prefix[..^1] : Prefix + path;

    // Code may have set a value other than the written one, and sizes may be shown in other units than written.
    private bool MeansSame(SettingFailure failure, string? written)
    {
        if (written is null)
        {
            return failure.Value == SettingFailure.Structure;
        }

        var options = new NumaOptions();
        Bind(options);
        return written == failure.Value
            || NumaSettings.All.SelectMany(setting => setting.TextsOf(options)).Any(
                pair => pair.Key.Equals(failure.Path, StringComparison.OrdinalIgnoreCase) && pair.Value == failure.Value);
    }
}

/// <summary>Finds the source of a key. Only a configuration root knows its sources; without one nothing is known.</summary>
internal sealed class SettingSources(IConfiguration? configuration)
{
    /// <summary>The position of the source that supplies a key's value: the larger of two counts. -1: unknown.</summary>
    public int OrderOf(string key) => Array.FindLastIndex(Providers(), provider => HasValue(provider, key));

    /// <summary>The source's name for people, or <see langword="null"/> if it is unknown, or code.</summary>
    /// <param name="key">The key from the root.</param>
    /// <param name="written">The value there; <see langword="null"/> for a section.</param>
    public string? NameOf(string key, out string? written)
    {
        written = null;
        var providers = Providers();
        var provider = Array.FindLast(providers, provider => HasValue(provider, key))
            ?? Array.FindLast(providers, provider => provider.GetChildKeys([], key).Any());
        _ = provider?.TryGet(key, out written);
        return provider switch
        {
            null or MemoryConfigurationProvider => null,
            FileConfigurationProvider file => file.Source.Path,
            EnvironmentVariablesConfigurationProvider => "environment",
            CommandLineConfigurationProvider => "command line",
            _ => provider.ToString(),
        };
    }

    private static bool HasValue(IConfigurationProvider provider, string key) =>
        provider.TryGet(key, out var value) && value is not null;

    // The configuration may be reloaded at any time: the current providers are read each time.
    private IConfigurationProvider[] Providers() => [.. ProvidersOf(configuration)];

    private static IEnumerable<IConfigurationProvider> ProvidersOf(IConfiguration? configuration) =>
        configuration is IConfigurationRoot root
            ? root.Providers.SelectMany(static provider =>
                provider is ChainedConfigurationProvider chained ? ProvidersOf(chained.Configuration) : [provider])
            : [];
}
