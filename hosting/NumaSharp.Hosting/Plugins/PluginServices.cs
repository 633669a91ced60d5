using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;
using NumaSharp.Hosting.Registration;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// The services that a plugin registers in and is served from: its own, so that it cannot replace the application's, with
/// what it may share of the host.
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

    /// <summary>Disposes of a plugin's services. What they throw is reported: no stop and no other plugin fails by it.</summary>
    public void End(ServiceProvider container)
    {
        try
        {
            // As the host does it: services that can only be disposed of asynchronously are an error otherwise.
            container.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
        catch (Exception exception)
        {
            fallbacks.Report(new NumaFallback(
                "plugins.end", $"A plugin has not ended in order: {exception.GetType().Name}: {exception.Message}"));
        }
    }
}
