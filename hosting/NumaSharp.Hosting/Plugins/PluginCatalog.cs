using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// Loads each plugin once, when the options first name it; disposed with the host. No lock is held over a plugin's code; only a
/// thread that needs a plugin which another thread is loading waits, for that one. Thread-safe.
/// </summary>
internal sealed class PluginCatalog(PluginLoader loader) : IDisposable
{
    // Guards the fields.
    private readonly Lock _lock = new();

    // By path. One that has failed is removed: the next options try again.
    private readonly Dictionary<string, Lazy<LoadedPlugin>> _loads = new(StringComparer.Ordinal);
    private readonly List<LoadedPlugin> _loaded = [];
    private bool _isDisposed;

    /// <summary>The sections that loaded plugins check themselves.</summary>
    public IReadOnlyList<string> Sections
    {
        get
        {
            lock (_lock)
            {
                return [.. _loaded.SelectMany(static plugin => plugin.Sections)];
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

        return new PluginSet(plugins, failures);
    }

    public void Dispose()
    {
        LoadedPlugin[] loaded;
        lock (_lock)
        {
            _isDisposed = true;
            loaded = [.. _loaded];
            _loaded.Clear();
            _loads.Clear();
        }

        Array.ForEach(loaded, loader.End);
    }

    private LoadedPlugin LoadOnce(NumaPluginOptions options)
    {
        var path = loader.Find(options);
        while (true)
        {
            var load = LoadOf(path, options, out var isOwn);
            try
            {
                var plugin = load.Value;
                PluginLoader.CheckHash(plugin.Sha256, options.Sha256);
                return plugin;
            }
            catch (Exception exception) when (
                !isOwn && !load.IsValueCreated && exception is PluginRefusedException or NumaSettingException)
            {
                // Another thread's options name the same file, and their load failed, perhaps because they expect another hash.
            }
        }
    }

    private Lazy<LoadedPlugin> LoadOf(string path, NumaPluginOptions options, out bool isOwn)
    {
        lock (_lock)
        {
            isOwn = !_loads.TryGetValue(path, out var known);
            var load = known ?? new Lazy<LoadedPlugin>(() => LoadNow(path, options));
            _loads[path] = load;
            return load;
        }
    }

    private LoadedPlugin LoadNow(string path, NumaPluginOptions options)
    {
        var isKept = false;
        try
        {
            var plugin = loader.Load(path, options);
            isKept = TryKeep(plugin);
            if (!isKept)
            {
                // The host ended while the plugin was loading.
                loader.End(plugin);
                throw new ObjectDisposedException(nameof(PluginCatalog));
            }

            return plugin;
        }
        finally
        {
            if (!isKept)
            {
                Forget(path);
            }
        }
    }

    private bool TryKeep(LoadedPlugin plugin)
    {
        lock (_lock)
        {
            if (!_isDisposed)
            {
                _loaded.Add(plugin);
            }

            return !_isDisposed;
        }
    }

    private void Forget(string path)
    {
        lock (_lock)
        {
            _loads.Remove(path);
        }
    }

    private static SettingFailure Describe(PluginRefusedException exception, NumaPluginOptions options, string key) => new(
        $"Plugins:{key}:{exception.Key}",
        exception.Key == nameof(NumaPluginOptions.Sha256) ? options.Sha256 : options.Assembly,
        exception.Message);
}

/// <summary>The registrations of a plugin.</summary>
/// <param name="services">The container with its providers.</param>
/// <param name="sha256">The hash of the loaded file.</param>
internal sealed class LoadedPlugin(ServiceProvider services, string sha256)
{
    public ServiceProvider Services => services;

    public string Sha256 => sha256;

    public IReadOnlyList<INumaTopologyProvider> Topologies { get; } = [.. services.GetServices<INumaTopologyProvider>()];

    public IReadOnlyList<INumaMemoryProvider> Memories { get; } = [.. services.GetServices<INumaMemoryProvider>()];

    public IReadOnlyList<INumaAffinityProvider> Affinities { get; } = [.. services.GetServices<INumaAffinityProvider>()];

    public IReadOnlyList<string> Sections { get; } =
        [.. services.GetServices<NumaPluginSection>().Select(static section => section.Name)];

    /// <summary>All providers, possibly null, with the names they report.</summary>
    public IEnumerable<(object? Provider, string? Name)> Providers =>
    [
        .. Topologies.Select(static provider => ((object?)provider, provider?.Name)),
        .. Memories.Select(static provider => ((object?)provider, provider?.Name)),
        .. Affinities.Select(static provider => ((object?)provider, provider?.Name)),
    ];
}

/// <summary>The plugins named by the options; those that could not be loaded are failures.</summary>
internal sealed record PluginSet(IReadOnlyList<LoadedPlugin> Plugins, IReadOnlyList<SettingFailure> Failures)
{
    public IEnumerable<INumaTopologyProvider> Topologies => Plugins.SelectMany(static plugin => plugin.Topologies);

    public IEnumerable<INumaMemoryProvider> Memories => Plugins.SelectMany(static plugin => plugin.Memories);

    public IEnumerable<INumaAffinityProvider> Affinities => Plugins.SelectMany(static plugin => plugin.Affinities);
}
