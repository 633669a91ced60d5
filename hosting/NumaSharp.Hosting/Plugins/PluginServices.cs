using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// The service container of a plugin: a separate one, so that it cannot replace the application's services, with the host
/// services it may share.
/// </summary>
internal sealed class PluginServices(
    NumaSection section, NumaFallbacks fallbacks, ILoggerFactory loggers, IConfiguration? configuration)
{
    public NumaBuilder CreateBuilder()
    {
        var services = new ServiceCollection();
        services.AddSingleton(fallbacks);
        services.AddSingleton(loggers);
        services.AddSingleton(typeof(ILogger<>), typeof(Logger<>));
        if (configuration is not null)
        {
            services.AddSingleton(configuration);
        }

        services.AddPluginSettings(_ => section);
        return new NumaBuilder(services);
    }

    /// <summary>Disposes a plugin's services. Exceptions are reported: they must not affect the stop or other plugins.</summary>
    public void End(ServiceProvider container)
    {
        try
        {
            // As the host does it: otherwise services that can only be disposed asynchronously are an error.
            container.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
        catch (Exception exception)
        {
            fallbacks.Report(new NumaFallback(
                FallbackCatalog.PluginsEnd,
                $"A plugin threw when its services were disposed: {exception.GetType().Name}: {exception.Message}"));
        }
    }
}

internal static class PluginSettingsExtensions
{
    /// <summary>Provides plugins with their sections, by name.</summary>
    public static void AddPluginSettings(this IServiceCollection services, Func<IServiceProvider, NumaSection> section) =>
        services.TryAddKeyedSingleton(KeyedService.AnyKey, (provider, key) =>
            key is string name ? section(provider).SettingsOf(name) : null!);
}

internal sealed class NumaBuilder(IServiceCollection services) : INumaBuilder
{
    public IServiceCollection Services { get; } = services;
}
