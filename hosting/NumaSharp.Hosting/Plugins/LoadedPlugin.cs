using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Plugins;

/// <summary>What a plugin has registered, and the container that its providers came from.</summary>
internal sealed class LoadedPlugin(ServiceProvider services) : IDisposable
{
    public IReadOnlyList<INumaTopologyProvider> Topologies { get; } = [.. services.GetServices<INumaTopologyProvider>()];

    public IReadOnlyList<INumaMemoryProvider> Memories { get; } = [.. services.GetServices<INumaMemoryProvider>()];

    public IReadOnlyList<INumaAffinityProvider> Affinities { get; } = [.. services.GetServices<INumaAffinityProvider>()];

    public IReadOnlyList<string> Sections { get; } =
        [.. services.GetServices<NumaPluginSection>().Select(static section => section.Name)];

    public bool HasProviders => Topologies.Count + Memories.Count + Affinities.Count > 0;

    public void Dispose() => services.Dispose();
}
