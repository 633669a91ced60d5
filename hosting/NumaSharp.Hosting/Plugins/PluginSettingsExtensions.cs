using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Plugins;

internal static class PluginSettingsExtensions
{
    /// <summary>Provides plugins with their sections, by name.</summary>
    public static void AddPluginSettings(this IServiceCollection services, Func<IServiceProvider, NumaSection> section) =>
        services.TryAddKeyedSingleton(KeyedService.AnyKey, (provider, key) =>
            key is string name ? section(provider).SettingsOf(name) : null!);
}
