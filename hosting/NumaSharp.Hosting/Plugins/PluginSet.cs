using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Plugins;

/// <summary>The plugins named by the options; those that could not be loaded are failures.</summary>
internal sealed record PluginSet(IReadOnlyList<LoadedPlugin> Plugins, IReadOnlyList<SettingFailure> Failures)
{
    public IEnumerable<INumaTopologyProvider> Topologies => Plugins.SelectMany(static plugin => plugin.Topologies);

    public IEnumerable<INumaMemoryProvider> Memories => Plugins.SelectMany(static plugin => plugin.Memories);

    public IEnumerable<INumaAffinityProvider> Affinities => Plugins.SelectMany(static plugin => plugin.Affinities);
}
