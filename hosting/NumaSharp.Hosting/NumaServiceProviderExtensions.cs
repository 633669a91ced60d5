using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;
using NumaSharp.Hosting.Plugins;

namespace NumaSharp.Hosting;

/// <summary>Questions about settings that need no host that runs.</summary>
public static class NumaServiceProviderExtensions
{
    /// <summary>Finds the keys below <c>Numa</c> that mean nothing: a start warns of them, it does not fail.</summary>
    /// <param name="services">Services that <c>AddNuma()</c> was called on.</param>
    /// <returns>The keys; usually none.</returns>
    public static IReadOnlyList<NumaUnknownKey> FindUnknownNumaKeys(this IServiceProvider services)
    {
        ArgumentNullException.ThrowIfNull(services);
        var section = services.GetRequiredService<NumaSection>();
        string[] plugins =
        [
            .. services.GetServices<NumaPluginSection>().Select(static plugin => plugin.Name),
            .. services.GetRequiredService<PluginCatalog>().Sections,
        ];
        return
        [
            .. section.FindUnknown(plugins)
                .Select(unknown => new NumaUnknownKey(section.Prefix + unknown.Path, section.Prefix + unknown.Nearest)),
        ];
    }
}
