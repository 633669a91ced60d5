using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>
/// A plugin that is loaded reads the application's configuration, whose code may wait for another thread that needs plugins.
/// </summary>
public sealed class PluginCatalogTests : IDisposable
{
    private readonly ContentRoot _root = new();
    private readonly Settings _settings = new();
    private readonly PluginCatalog _catalog;

    public PluginCatalogTests()
    {
        var section = new ConfigurationBuilder().Add(_settings).Build().GetSection("Numa");
        var services = new PluginServices(new NumaSection(section), new NumaFallbacks(), NullLoggerFactory.Instance, null);
        _catalog = new PluginCatalog(new PluginLoader(new PluginFolder(_root.Root), services, canLoadCode: true));
    }

    public void Dispose()
    {
        _catalog.Dispose();
        _root.Dispose();
    }

    [Fact]
    public void Load_WaitsForAnotherThread_ThatOneSeesThoseBeforeAndLoadsAnother()
    {
        var (one, two) = (_root.AddAcme(), _root.AddAcme(Path.Combine("plugins", "other")));
        PluginSet? others = null;
        _settings.OnNextRead = () => TestThreads.Run(() =>
        {
            Assert.True(_catalog.IsEmpty);
            Assert.Empty(_catalog.Sections);
            others = Load(two);
        });

        var mine = Load(one);
        Assert.Empty(mine.Failures);
        Assert.NotSame(Assert.Single(others!.Plugins), Assert.Single(mine.Plugins));
        Assert.Equal(["Acme", "Acme"], _catalog.Sections);
    }

    [Fact]
    public void Load_OnTwoThreads_IsTheSamePlugin()
    {
        var assembly = _root.AddAcme();
        Task<PluginSet>? others = null;
        _settings.OnNextRead = () => others = Task.Run(() => Load(assembly));

        var mine = Assert.Single(Load(assembly).Plugins);
        Assert.Same(mine, Assert.Single(Wait.For(others!).Plugins));
        Assert.Equal(["Acme"], _catalog.Sections);
    }

    [Fact]
    public void Load_AnotherThreadsHasFailed_LoadsItAllTheSame()
    {
        var assembly = _root.AddAcme();
        Task<PluginSet>? others = null;
        _settings.OnNextRead = () =>
        {
            others = Task.Run(() => Load(assembly));
            throw new InvalidTimeZoneException("no settings yet");
        };

        Assert.Contains("no settings yet", Assert.Single(Load(assembly).Failures).Reason, StringComparison.Ordinal);
        Assert.Single(Wait.For(others!).Plugins);
    }

    [Fact]
    public void Load_WaitsForTheEndOfTheHost_EndsWithIt()
    {
        var assembly = _root.AddAcme();
        _settings.OnNextRead = () => TestThreads.Run(_catalog.Dispose);
        Assert.Throws<ObjectDisposedException>(() => Load(assembly));
        Assert.True(_catalog.IsEmpty);
    }

    private PluginSet Load(string assembly) => _catalog.Load([new NumaPluginOptions { Assembly = assembly }]);

    /// <summary>An application's source of settings.</summary>
    private sealed class Settings : ConfigurationProvider, IConfigurationSource
    {
        private Action? _onNextRead;

        public Settings() => Data["Numa:Acme:Nodes"] = "2";

        public Action? OnNextRead
        {
            get => _onNextRead;
            set => _onNextRead = value;
        }

        public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

        public override bool TryGet(string key, out string? value)
        {
            Interlocked.Exchange(ref _onNextRead, null)?.Invoke();
            return base.TryGet(key, out value);
        }
    }
}
