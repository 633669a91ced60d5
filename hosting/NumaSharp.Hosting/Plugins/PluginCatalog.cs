using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Plugins;

/// <summary>Loads each plugin once, when the options first name it; disposed with the host. Thread-safe.</summary>
internal sealed class PluginCatalog(PluginLoader loader) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, LoadedPlugin> _loaded = new(StringComparer.Ordinal);

    /// <summary>The sections that loaded plugins check themselves.</summary>
    public IReadOnlyList<string> Sections
    {
        get
        {
            lock (_lock)
            {
                return [.. _loaded.Values.SelectMany(static plugin => plugin.Sections)];
            }
        }
    }

    /// <summary>Whether no plugin was loaded: none is named, or none is needed.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_lock)
            {
                return _loaded.Count == 0;
            }
        }
    }

    public PluginSet Load(IEnumerable<NumaPluginOptions> wanted)
    {
        var plugins = new List<LoadedPlugin>();
        var failures = new List<SettingFailure>();
        lock (_lock)
        {
            foreach (var (key, options) in IConfiguredItem.WithKeys(wanted))
            {
                try
                {
                    var plugin = LoadOnce(options);
                    plugins.Add(plugins.Contains(plugin)
                        ? throw PluginRefusedException.Because("is named more than once; name each file once")
                        : plugin);
                }
                catch (PluginRefusedException exception)
                {
                    failures.Add(Describe(exception, options, key));
                }
                catch (NumaSettingException exception)
                {
                    failures.AddRange(SettingFailure.From(exception));
                }
            }
        }

        return new PluginSet(plugins, failures);
    }

    public void Dispose()
    {
        lock (_lock)
        {
            foreach (var plugin in _loaded.Values)
            {
                loader.End(plugin);
            }

            _loaded.Clear();
        }
    }

    private LoadedPlugin LoadOnce(NumaPluginOptions options)
    {
        var path = loader.Find(options);
        if (_loaded.TryGetValue(path, out var plugin))
        {
            PluginLoader.CheckHash(plugin.Sha256, options.Sha256);
            return plugin;
        }

        plugin = loader.Load(path, options);
        _loaded.Add(path, plugin);
        return plugin;
    }

    private static SettingFailure Describe(PluginRefusedException exception, NumaPluginOptions options, string key) => new(
        $"Plugins:{key}:{exception.Key}",
        exception.Key == nameof(NumaPluginOptions.Sha256) ? options.Sha256 : options.Assembly,
        exception.Message);
}
