using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Hosting.Settings;

namespace Microsoft.Extensions.Hosting;

/// <summary>Makes an application NUMA-aware.</summary>
public static class NumaHostApplicationBuilderExtensions
{
    /// <summary>
    /// Adds NUMA topology, plan, schedulers, memory pools, transport, metrics and health checks, configured by the section
    /// <c>Numa</c>. Safe to call more than once.
    /// </summary>
    /// <param name="builder">The application's builder.</param>
    /// <param name="configure">
    /// Registers platform plugins or sets <see cref="NumaOptions"/> in code; runs at every call. Code overrides configuration.
    /// </param>
    /// <returns>The builder for further registrations.</returns>
    public static INumaBuilder AddNuma(this IHostApplicationBuilder builder, Action<INumaBuilder>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Services.AddNuma(builder.Configuration.GetSection(NumaSettings.SectionName), configure);
    }
}
