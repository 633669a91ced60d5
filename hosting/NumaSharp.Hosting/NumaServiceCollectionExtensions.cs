using Microsoft.Extensions.Configuration;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Registration;
using NumaSharp.Hosting.Settings;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds NUMA services.</summary>
public static class NumaServiceCollectionExtensions
{
    /// <summary>
    /// Adds NUMA topology, plan, schedulers, memory pools, transport, metrics and health checks, configured by the section
    /// <c>Numa</c> of the <see cref="IConfiguration"/> among the services, if there is one. Safe to call more than once.
    /// </summary>
    /// <param name="services">The services. Existing registrations stay.</param>
    /// <param name="configure">
    /// Registers platform plugins or sets <see cref="NumaOptions"/> in code; runs at every call. Code overrides configuration.
    /// </param>
    /// <returns>The builder for further registrations.</returns>
    public static INumaBuilder AddNuma(this IServiceCollection services, Action<INumaBuilder>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return Add(services, null, configure);
    }

    /// <summary>
    /// Adds NUMA topology, plan, schedulers, memory pools, transport, metrics and health checks. Safe to call more than once.
    /// </summary>
    /// <param name="services">The services. Existing registrations stay.</param>
    /// <param name="section">The section to read instead of <c>Numa</c>; the first of several calls counts.</param>
    /// <param name="configure">
    /// Registers platform plugins or sets <see cref="NumaOptions"/> in code; runs at every call. Code overrides configuration.
    /// </param>
    /// <returns>The builder for further registrations.</returns>
    public static INumaBuilder AddNuma(
        this IServiceCollection services, IConfigurationSection section, Action<INumaBuilder>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, section, configure);
    }

    private static NumaBuilder Add(
        IServiceCollection services, IConfigurationSection? section, Action<INumaBuilder>? configure)
    {
        if (!services.Any(static service => service.ServiceType == typeof(NumaSection)))
        {
            NumaServices.AddTo(services, section);
        }

        var builder = new NumaBuilder(services);
        configure?.Invoke(builder);
        return builder;
    }
}
