using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Plugins;

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
