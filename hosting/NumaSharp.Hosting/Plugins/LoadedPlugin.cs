using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Plugins;

/// <summary>What a plugin has registered.</summary>
/// <param name="services">The container that its providers come from.</param>
/// <param name="sha256">The hash of the file that was loaded.</param>
internal sealed class LoadedPlugin(ServiceProvider services, string sha256)
{
    public ServiceProvider Services => services;

    public string Sha256 => sha256;

    public IReadOnlyList<INumaTopologyProvider> Topologies { get; } = [.. services.GetServices<INumaTopologyProvider>()];

    public IReadOnlyList<INumaMemoryProvider> Memories { get; } = [.. services.GetServices<INumaMemoryProvider>()];

    public IReadOnlyList<INumaAffinityProvider> Affinities { get; } = [.. services.GetServices<INumaAffinityProvider>()];

    public IReadOnlyList<string> Sections { get; } =
        [.. services.GetServices<NumaPluginSection>().Select(static section => section.Name)];

    /// <summary>All providers, which may be anything, with the name that each says it has.</summary>
    public IEnumerable<(object? Provider, string? Name)> Providers =>
    [
        .. Topologies.Select(static provider => ((object?)provider, provider?.Name)),
        .. Memories.Select(static provider => ((object?)provider, provider?.Name)),
        .. Affinities.Select(static provider => ((object?)provider, provider?.Name)),
    ];
}
