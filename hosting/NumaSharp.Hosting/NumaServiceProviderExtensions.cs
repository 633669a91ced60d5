using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting;

/// <summary>Checks of settings that need no running host.</summary>
public static class NumaServiceProviderExtensions
{
    /// <summary>Finds unknown keys below <c>Numa</c>: a start warns of them, but does not fail.</summary>
    /// <param name="services">Services that <c>AddNuma()</c> was called on.</param>
    /// <returns>The keys; usually none.</returns>
    /// <exception cref="OptionsValidationException">The settings are wrong.</exception>
    public static IReadOnlyList<NumaUnknownKey> FindUnknownNumaKeys(this IServiceProvider services)
    {
        ArgumentNullException.ThrowIfNull(services);
        var section = services.GetRequiredService<NumaSection>();
        var options = services.GetRequiredService<IOptions<NumaOptions>>().Value;
        var catalog = services.GetRequiredService<PluginCatalog>();
        string[] plugins =
        [
            .. services.GetServices<NumaPluginSection>().Select(static plugin => plugin.Name),
            .. catalog.Sections,
            .. options.Plugins.Count > 0 && catalog.IsEmpty ? section.FindUnknownSections() : [],
        ];
        return
        [
            .. section.FindUnknown(plugins)
                .Select(unknown => new NumaUnknownKey(
                    section.Prefix + unknown.Path, unknown.Nearest is { } nearest ? section.Prefix + nearest : null)
                {
                    Advice = unknown.AdviceWith(section.Prefix),
                }),
        ];
    }
}

/// <summary>An unknown key of the section <c>Numa</c>, and the one that may have been meant. Immutable.</summary>
public sealed class NumaUnknownKey
{
    /// <summary>Creates a key from its properties.</summary>
    /// <param name="key"><see cref="Key"/></param>
    /// <param name="nearestKey"><see cref="NearestKey"/></param>
    internal NumaUnknownKey(string key, string? nearestKey)
    {
        Key = key;
        NearestKey = nearestKey;
    }

    /// <summary>The key, such as <c>Numa:Transport:Backlogg</c>.</summary>
    public string Key { get; }

    /// <summary>The most similar known key, or <see langword="null"/> if none is similar.</summary>
    public string? NearestKey { get; }

    internal string Advice { get; init; } = "";

    /// <inheritdoc/>
    public override string ToString() => $"Unknown setting {Key}. {Advice}".TrimEnd();
}
